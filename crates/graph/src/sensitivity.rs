//! By how much one edge or one node can move a statistic.
