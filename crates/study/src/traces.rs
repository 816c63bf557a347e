//! What a network carries, learnt from its packets so that nobody's packets show.
