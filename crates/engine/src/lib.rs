//! Where bounded aggregates run: the plan's aggregation over files, in DataFusion, in this process.
