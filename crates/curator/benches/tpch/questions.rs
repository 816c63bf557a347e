//! The questions: as they stand where that can be asked, as they were rewritten, or why they are not asked.

/// One question of TPC-H.
pub(crate) struct Question {
    pub(crate) number: usize,
    pub(crate) title: &'static str,
    /// What is asked privately.
    pub(crate) way: Way,
    /// What the raw engine is asked: the original, less the columns that the tables here do not have.
    pub(crate) raw: &'static str,
}

/// How a question is asked privately.
pub(crate) enum Way {
    /// Word for word.
    AsItStands(&'static str),
    /// In other words, and why.
    Rewritten(&'static str, &'static str),
    /// Not at all, and why.
    NotAsked(&'static str),
}

pub(crate) const QUESTIONS: [Question; 22] = [
    Question { number: 1, title: "pricing summary", way: Way::AsItStands(Q1), raw: Q1 },
    Question {
        number: 2,
        title: "cheapest supplier",
        way: Way::NotAsked("only public tables: there is nobody to protect, and any database answers it"),
        raw: Q2,
    },
    Question {
        number: 3,
        title: "shipping priority",
        way: Way::Rewritten(
            Q3_PRIVATE,
            "an order is one customer's, and no group of one person is shown: revenue by day instead of by order",
        ),
        raw: Q3,
    },
    Question { number: 4, title: "order priority", way: Way::AsItStands(Q4), raw: Q4 },
    Question { number: 5, title: "local supplier volume", way: Way::AsItStands(Q5), raw: Q5 },
    Question { number: 6, title: "forecast of revenue", way: Way::AsItStands(Q6), raw: Q6 },
    Question { number: 7, title: "volume shipping", way: Way::AsItStands(Q7), raw: Q7 },
    Question { number: 8, title: "national market share", way: Way::AsItStands(Q8), raw: Q8 },
    Question { number: 9, title: "profit by product type", way: Way::AsItStands(Q9), raw: Q9 },
    Question {
        number: 10,
        title: "returned items",
        way: Way::NotAsked(
            "a list of single customers with what they sent back: the question that privacy forbids",
        ),
        raw: Q10,
    },
    Question { number: 11, title: "important stock", way: Way::NotAsked("only public tables"), raw: Q11 },
    Question { number: 12, title: "shipping modes", way: Way::AsItStands(Q12), raw: Q12 },
    Question { number: 13, title: "orders a customer", way: Way::AsItStands(Q13), raw: Q13 },
    Question { number: 14, title: "promotion effect", way: Way::AsItStands(Q14), raw: Q14 },
    Question { number: 15, title: "top supplier", way: Way::AsItStands(Q15), raw: Q15 },
    Question { number: 16, title: "parts and suppliers", way: Way::NotAsked("only public tables"), raw: Q16 },
    Question {
        number: 17,
        title: "small quantities",
        way: Way::Rewritten(
            Q17_PRIVATE,
            "each row was compared with an average over other people's rows; the average is asked for first, and its number written",
        ),
        raw: Q17,
    },
    Question {
        number: 18,
        title: "large orders",
        way: Way::Rewritten(
            Q18_PRIVATE,
            "a list of single customers; how many large orders there were in each year, and their price, instead",
        ),
        raw: Q18,
    },
    Question {
        number: 19,
        title: "discounted revenue",
        way: Way::Rewritten(
            Q19,
            "the equality of part keys, which the original repeats in every branch of an OR, is written once",
        ),
        raw: Q19,
    },
    Question {
        number: 20,
        title: "parts to promote",
        way: Way::NotAsked(
            "it compares stock with sums over a handful of rows each, for 800,000 pairs of part and supplier: released with noise they would say nothing",
        ),
        raw: Q20,
    },
    Question {
        number: 21,
        title: "suppliers who kept orders waiting",
        way: Way::Rewritten(
            Q21_PRIVATE,
            "that other lines of an order are the same customer's is written, by way of the order",
        ),
        raw: Q21,
    },
    Question {
        number: 22,
        title: "sales opportunity",
        way: Way::Rewritten(
            Q22_PRIVATE,
            "each balance was compared with an average over other people's; the average is asked for first, and its number written",
        ),
        raw: Q22,
    },
];

const Q1: &str = "SELECT l_returnflag, l_linestatus, SUM(l_quantity) AS sum_qty, SUM(l_extendedprice) AS sum_base_price,
       SUM(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
       SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
       AVG(l_quantity) AS avg_qty, AVG(l_extendedprice) AS avg_price, AVG(l_discount) AS avg_disc, COUNT(*) AS count_order
FROM lineitem WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus";
const Q2: &str = "SELECT s_name, n_name, p_partkey FROM part, supplier, partsupp, nation, region
WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND p_size = 15 AND p_type LIKE '%BRASS'
  AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'EUROPE'
  AND ps_supplycost = (SELECT MIN(ps_supplycost) FROM partsupp, supplier, nation, region
    WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND s_nationkey = n_nationkey
      AND n_regionkey = r_regionkey AND r_name = 'EUROPE')
LIMIT 100";
const Q3: &str =
    "SELECT l_orderkey, SUM(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority
FROM customer, orders, lineitem
WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
  AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate LIMIT 10";
const Q3_PRIVATE: &str = "SELECT o_orderdate, SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem
WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
  AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
GROUP BY o_orderdate ORDER BY revenue DESC, o_orderdate LIMIT 10";
const Q4: &str = "SELECT o_orderpriority, COUNT(*) AS order_count FROM orders
WHERE o_orderdate >= DATE '1993-07-01' AND o_orderdate < DATE '1993-07-01' + INTERVAL '3' MONTH
  AND EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
GROUP BY o_orderpriority ORDER BY o_orderpriority";
const Q5: &str = "SELECT n_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey
  AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA'
  AND o_orderdate >= DATE '1994-01-01' AND o_orderdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY n_name ORDER BY revenue DESC";
const Q6: &str = "SELECT SUM(l_extendedprice * l_discount) AS revenue FROM lineitem
WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
  AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24";
const Q7: &str = "SELECT supp_nation, cust_nation, l_year, SUM(volume) AS revenue FROM (
  SELECT n1.n_name AS supp_nation, n2.n_name AS cust_nation, EXTRACT(YEAR FROM l_shipdate) AS l_year,
         l_extendedprice * (1 - l_discount) AS volume
  FROM supplier, lineitem, orders, customer, nation n1, nation n2
  WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey AND c_custkey = o_custkey
    AND s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey
    AND ((n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY') OR (n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE'))
    AND l_shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31') AS shipping
GROUP BY supp_nation, cust_nation, l_year ORDER BY supp_nation, cust_nation, l_year";
const Q8: &str = "SELECT o_year, SUM(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / SUM(volume) AS mkt_share FROM (
  SELECT EXTRACT(YEAR FROM o_orderdate) AS o_year, l_extendedprice * (1 - l_discount) AS volume, n2.n_name AS nation
  FROM part, supplier, lineitem, orders, customer, nation n1, nation n2, region
  WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey AND l_orderkey = o_orderkey AND o_custkey = c_custkey
    AND c_nationkey = n1.n_nationkey AND n1.n_regionkey = r_regionkey AND r_name = 'AMERICA'
    AND s_nationkey = n2.n_nationkey AND o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
    AND p_type = 'ECONOMY ANODIZED STEEL') AS all_nations
GROUP BY o_year ORDER BY o_year";
const Q9: &str = "SELECT nation, o_year, SUM(amount) AS sum_profit FROM (
  SELECT n_name AS nation, EXTRACT(YEAR FROM o_orderdate) AS o_year,
         l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS amount
  FROM part, supplier, lineitem, partsupp, orders, nation
  WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey AND p_partkey = l_partkey
    AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey AND p_name LIKE '%green%') AS profit
GROUP BY nation, o_year ORDER BY nation, o_year DESC";
const Q10: &str = "SELECT c_custkey, SUM(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal, n_name, c_phone
FROM customer, orders, lineitem, nation
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= DATE '1993-10-01'
  AND o_orderdate < DATE '1993-10-01' + INTERVAL '3' MONTH AND l_returnflag = 'R' AND c_nationkey = n_nationkey
GROUP BY c_custkey, c_acctbal, c_phone, n_name ORDER BY revenue DESC LIMIT 20";
const Q11: &str =
    "SELECT ps_partkey, SUM(ps_supplycost * ps_availqty) AS value FROM partsupp, supplier, nation
WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY'
GROUP BY ps_partkey ORDER BY value DESC LIMIT 100";
const Q12: &str = "SELECT l_shipmode,
  SUM(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high_line_count,
  SUM(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low_line_count
FROM orders, lineitem
WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate
  AND l_shipdate < l_commitdate AND l_receiptdate >= DATE '1994-01-01'
  AND l_receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY l_shipmode ORDER BY l_shipmode";
const Q13: &str = "SELECT c_count, COUNT(*) AS custdist FROM (
  SELECT c_custkey, COUNT(o_orderkey) AS c_count
  FROM customer LEFT OUTER JOIN orders ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%'
  GROUP BY c_custkey) AS c_orders
GROUP BY c_count ORDER BY custdist DESC, c_count DESC";
const Q14: &str = "SELECT 100.00 * SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END)
         / SUM(l_extendedprice * (1 - l_discount)) AS promo_revenue
FROM lineitem, part
WHERE l_partkey = p_partkey AND l_shipdate >= DATE '1995-09-01' AND l_shipdate < DATE '1995-09-01' + INTERVAL '1' MONTH";
const Q15: &str = "WITH revenue AS (
  SELECT l_suppkey AS supplier_no, SUM(l_extendedprice * (1 - l_discount)) AS total_revenue FROM lineitem
  WHERE l_shipdate >= DATE '1996-01-01' AND l_shipdate < DATE '1996-01-01' + INTERVAL '3' MONTH
  GROUP BY l_suppkey)
SELECT s_suppkey, s_name, total_revenue FROM supplier, revenue
WHERE s_suppkey = supplier_no AND total_revenue = (SELECT MAX(total_revenue) FROM revenue) ORDER BY s_suppkey";
const Q16: &str = r#"SELECT p_brand, p_type, p_size, COUNT(DISTINCT ps_suppkey) AS supplier_cnt FROM partsupp, part
WHERE p_partkey = ps_partkey AND p_brand <> 'Brand#45' AND p_type NOT LIKE 'MEDIUM POLISHED%'
  AND p_size IN (49, 14, 23, 45, 19, 3, 36, 9)
GROUP BY p_brand, p_type, p_size ORDER BY supplier_cnt DESC LIMIT 100"#;
const Q17: &str = r#"SELECT SUM(l_extendedprice) / 7.0 AS avg_yearly FROM lineitem, part
WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container = 'MED BOX'
  AND l_quantity < (SELECT 0.2 * AVG(l_quantity) FROM lineitem WHERE l_partkey = p_partkey)"#;
const Q17_PRIVATE: &str = r#"SELECT SUM(l_extendedprice) / 7.0 AS avg_yearly FROM lineitem, part
WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container = 'MED BOX' AND l_quantity < 5.1"#;
const Q18: &str =
    "SELECT c_custkey, o_orderkey, o_orderdate, o_totalprice, SUM(l_quantity) FROM customer, orders, lineitem
WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING SUM(l_quantity) > 300)
  AND c_custkey = o_custkey AND o_orderkey = l_orderkey
GROUP BY c_custkey, o_orderkey, o_orderdate, o_totalprice ORDER BY o_totalprice DESC, o_orderdate LIMIT 100";
const Q18_PRIVATE: &str = "SELECT EXTRACT(YEAR FROM o_orderdate) AS year, COUNT(*) AS large_orders, AVG(o_totalprice) AS price FROM (
  SELECT o_custkey, o_orderkey, o_orderdate, o_totalprice, SUM(l_quantity) AS quantity
  FROM orders JOIN lineitem ON o_orderkey = l_orderkey
  GROUP BY o_custkey, o_orderkey, o_orderdate, o_totalprice) AS large
WHERE quantity > 300 GROUP BY EXTRACT(YEAR FROM o_orderdate) ORDER BY year";
const Q19: &str = r#"SELECT SUM(l_extendedprice * (1 - l_discount)) AS revenue FROM lineitem, part
WHERE p_partkey = l_partkey AND l_shipmode IN ('AIR', 'REG AIR') AND l_shipinstruct = 'DELIVER IN PERSON' AND (
  (p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
    AND l_quantity BETWEEN 1 AND 11 AND p_size BETWEEN 1 AND 5)
  OR (p_brand = 'Brand#23' AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
    AND l_quantity BETWEEN 10 AND 20 AND p_size BETWEEN 1 AND 10)
  OR (p_brand = 'Brand#34' AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
    AND l_quantity BETWEEN 20 AND 30 AND p_size BETWEEN 1 AND 15))"#;
const Q20: &str = "SELECT s_name FROM supplier, nation
WHERE s_suppkey IN (SELECT ps_suppkey FROM partsupp
    WHERE ps_partkey IN (SELECT p_partkey FROM part WHERE p_name LIKE 'forest%')
      AND ps_availqty > (SELECT 0.5 * SUM(l_quantity) FROM lineitem
        WHERE l_partkey = ps_partkey AND l_suppkey = ps_suppkey AND l_shipdate >= DATE '1994-01-01'
          AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR))
  AND s_nationkey = n_nationkey AND n_name = 'CANADA' ORDER BY s_name";
const Q21: &str = "SELECT s_name, COUNT(*) AS numwait FROM supplier, lineitem l1, orders, nation
WHERE s_suppkey = l1.l_suppkey AND o_orderkey = l1.l_orderkey AND o_orderstatus = 'F'
  AND l1.l_receiptdate > l1.l_commitdate
  AND EXISTS (SELECT * FROM lineitem l2 WHERE l2.l_orderkey = l1.l_orderkey AND l2.l_suppkey <> l1.l_suppkey)
  AND NOT EXISTS (SELECT * FROM lineitem l3 WHERE l3.l_orderkey = l1.l_orderkey AND l3.l_suppkey <> l1.l_suppkey
    AND l3.l_receiptdate > l3.l_commitdate)
  AND s_nationkey = n_nationkey AND n_name = 'SAUDI ARABIA'
GROUP BY s_name ORDER BY numwait DESC, s_name LIMIT 100";
const Q22: &str = "SELECT cntrycode, COUNT(*) AS numcust, SUM(c_acctbal) AS totacctbal FROM (
  SELECT SUBSTRING(c_phone FROM 1 FOR 2) AS cntrycode, c_acctbal FROM customer
  WHERE SUBSTRING(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17')
    AND c_acctbal > (SELECT AVG(c_acctbal) FROM customer WHERE c_acctbal > 0.00
      AND SUBSTRING(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17'))
    AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)) AS custsale
GROUP BY cntrycode ORDER BY cntrycode";
const Q22_PRIVATE: &str = "SELECT cntrycode, COUNT(*) AS numcust, SUM(c_acctbal) AS totacctbal FROM (
  SELECT SUBSTRING(c_phone FROM 1 FOR 2) AS cntrycode, c_acctbal FROM customer
  WHERE SUBSTRING(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17')
    AND c_acctbal > 5000
    AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)) AS custsale
GROUP BY cntrycode ORDER BY cntrycode";
const Q21_PRIVATE: &str = "SELECT s_name, COUNT(*) AS numwait FROM supplier, lineitem l1, orders, nation
WHERE s_suppkey = l1.l_suppkey AND o_orderkey = l1.l_orderkey AND o_orderstatus = 'F'
  AND l1.l_receiptdate > l1.l_commitdate
  AND EXISTS (SELECT * FROM lineitem l2 JOIN orders o2 ON l2.l_orderkey = o2.o_orderkey
    WHERE o2.o_custkey = orders.o_custkey AND l2.l_orderkey = l1.l_orderkey AND l2.l_suppkey <> l1.l_suppkey)
  AND NOT EXISTS (SELECT * FROM lineitem l3 JOIN orders o3 ON l3.l_orderkey = o3.o_orderkey
    WHERE o3.o_custkey = orders.o_custkey AND l3.l_orderkey = l1.l_orderkey AND l3.l_suppkey <> l1.l_suppkey
      AND l3.l_receiptdate > l3.l_commitdate)
  AND s_nationkey = n_nationkey AND n_name = 'SAUDI ARABIA'
GROUP BY s_name ORDER BY numwait DESC, s_name LIMIT 100";
