//! What people like, learnt from their ratings so that nobody's ratings show.
