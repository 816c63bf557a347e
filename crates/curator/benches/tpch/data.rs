//! The tables of TPC-H, generated once and kept as Parquet below the target folder.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::parquet::arrow::ArrowWriter;
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    RegionGenerator, SupplierGenerator,
};

/// Rows of a batch.
const AT_ONCE: usize = 100_000;

/// The folder with all tables at this scale.
pub(crate) fn folder(scale: f64) -> PathBuf {
    let directory = option_env!("CARGO_TARGET_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = directory.join(format!("tpch-{scale}"));
    if !folder.exists() {
        let unfinished = folder.with_extension("unfinished");
        let _ = std::fs::remove_dir_all(&unfinished);
        std::fs::create_dir_all(&unfinished).expect("a folder under target");
        write_all(scale, &unfinished);
        std::fs::rename(&unfinished, &folder).expect("a finished folder");
    }
    folder
}

/// A column of a table: what it is called, and its values for some rows.
macro_rules! columns {
    ($rows:expr, $($name:literal: $kind:ident $value:expr),+ $(,)?) => {
        vec![$(($name, column!($kind, $rows, $value))),+]
    };
}
macro_rules! column {
    (integer, $rows:expr, $value:expr) => {
        Arc::new(Int64Array::from_iter_values($rows.iter().map($value))) as ArrayRef
    };
    (number, $rows:expr, $value:expr) => {
        Arc::new(Float64Array::from_iter_values($rows.iter().map($value))) as ArrayRef
    };
    (text, $rows:expr, $value:expr) => {
        Arc::new(StringArray::from_iter_values($rows.iter().map($value))) as ArrayRef
    };
    (date, $rows:expr, $value:expr) => {
        Arc::new(Date32Array::from_iter_values($rows.iter().map($value))) as ArrayRef
    };
}

fn write_all(scale: f64, folder: &Path) {
    write(
        folder,
        "region",
        RegionGenerator::new(scale, 1, 1).iter(),
        |rows| columns!(rows, "r_regionkey": integer |r| r.r_regionkey, "r_name": text |r| r.r_name.to_owned()),
    );
    write(folder, "nation", NationGenerator::new(scale, 1, 1).iter(), |rows| {
        columns!(
            rows,
            "n_nationkey": integer |r| r.n_nationkey,
            "n_name": text |r| r.n_name.to_owned(),
            "n_regionkey": integer |r| r.n_regionkey,
        )
    });
    write(folder, "supplier", SupplierGenerator::new(scale, 1, 1).iter(), |rows| {
        columns!(
            rows,
            "s_suppkey": integer |r| r.s_suppkey,
            "s_name": text |r| r.s_name.to_string(),
            "s_nationkey": integer |r| r.s_nationkey,
        )
    });
    write(folder, "part", PartGenerator::new(scale, 1, 1).iter(), |rows| {
        columns!(
            rows,
            "p_partkey": integer |r| r.p_partkey,
            "p_name": text |r| r.p_name.to_string(),
            "p_brand": text |r| r.p_brand.to_string(),
            "p_type": text |r| r.p_type.to_owned(),
            "p_size": integer |r| i64::from(r.p_size),
            "p_container": text |r| r.p_container.to_owned(),
        )
    });
    write(folder, "partsupp", PartSuppGenerator::new(scale, 1, 1).iter(), |rows| {
        columns!(
            rows,
            "ps_partkey": integer |r| r.ps_partkey,
            "ps_suppkey": integer |r| r.ps_suppkey,
            "ps_availqty": integer |r| i64::from(r.ps_availqty),
            "ps_supplycost": number |r| r.ps_supplycost.as_f64(),
        )
    });
    write(folder, "customer", CustomerGenerator::new(scale, 1, 1).iter(), |rows| {
        columns!(
            rows,
            "c_custkey": integer |r| r.c_custkey,
            "c_nationkey": integer |r| r.c_nationkey,
            "c_phone": text |r| r.c_phone.to_string(),
            "c_acctbal": number |r| r.c_acctbal.as_f64(),
            "c_mktsegment": text |r| r.c_mktsegment.to_owned(),
        )
    });
    write(folder, "orders", OrderGenerator::new(scale, 1, 1).iter(), |rows| {
        columns!(
            rows,
            "o_orderkey": integer |r| r.o_orderkey,
            "o_custkey": integer |r| r.o_custkey,
            "o_orderstatus": text |r| r.o_orderstatus.to_string(),
            "o_totalprice": number |r| r.o_totalprice.as_f64(),
            "o_orderdate": date |r| r.o_orderdate.to_unix_epoch(),
            "o_orderpriority": text |r| r.o_orderpriority.to_owned(),
            "o_shippriority": integer |r| i64::from(r.o_shippriority),
            "o_comment": text |r| r.o_comment.to_owned(),
        )
    });
    write(folder, "lineitem", LineItemGenerator::new(scale, 1, 1).iter(), |rows| {
        columns!(
            rows,
            "l_orderkey": integer |r| r.l_orderkey,
            "l_partkey": integer |r| r.l_partkey,
            "l_suppkey": integer |r| r.l_suppkey,
            "l_quantity": number |r| r.l_quantity as f64,
            "l_extendedprice": number |r| r.l_extendedprice.as_f64(),
            "l_discount": number |r| r.l_discount.as_f64(),
            "l_tax": number |r| r.l_tax.as_f64(),
            "l_returnflag": text |r| r.l_returnflag.to_owned(),
            "l_linestatus": text |r| r.l_linestatus.to_owned(),
            "l_shipdate": date |r| r.l_shipdate.to_unix_epoch(),
            "l_commitdate": date |r| r.l_commitdate.to_unix_epoch(),
            "l_receiptdate": date |r| r.l_receiptdate.to_unix_epoch(),
            "l_shipinstruct": text |r| r.l_shipinstruct.to_owned(),
            "l_shipmode": text |r| r.l_shipmode.to_owned(),
        )
    });
}

fn write<R>(
    folder: &Path,
    table: &str,
    rows: impl Iterator<Item = R>,
    columns: impl Fn(&[R]) -> Vec<(&'static str, ArrayRef)>,
) {
    let file = File::create(folder.join(format!("{table}.parquet"))).expect("a file under target");
    let mut file = Some(file);
    let mut writer: Option<ArrowWriter<File>> = None;
    let mut rows = rows.peekable();
    while rows.peek().is_some() {
        let some: Vec<R> = rows.by_ref().take(AT_ONCE).collect();
        let batch = RecordBatch::try_from_iter(columns(&some)).expect("columns of one length");
        let writer = writer.get_or_insert_with(|| {
            let file = file.take().expect("one writer");
            ArrowWriter::try_new(file, batch.schema(), None).expect("a writer")
        });
        writer.write(&batch).expect("rows");
    }
    writer.expect("some rows").close().expect("a complete file");
}
