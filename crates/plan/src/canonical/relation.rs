//! Relations as bytes: every operator with its own tag, columns by number.

use super::bytes::{Bytes, type_tag};
use crate::{
    ExactAggregate, ExactFunction, Frame, FrameEnd, Join, JoinKind, Link, Order, Owner, Relation, Scan,
    ScanColumn, Window, WindowFunction,
};

impl Bytes<'_> {
    pub(super) fn owner(&mut self, owner: &Owner) {
        match owner {
            Owner::EachRow => self.tag(0),
            Owner::Column(name) => {
                self.tag(1);
                self.text(name);
            }
            Owner::Nobody => self.tag(2),
            Owner::Link(link) => {
                self.tag(3);
                let Link { column, table, key, owner } = link.as_ref();
                self.text(column);
                self.text(table);
                self.text(key);
                self.owner(owner);
            }
        }
    }

    pub(super) fn relation(&mut self, relation: &Relation) {
        match relation {
            Relation::Table(Scan { table, columns, filter, owner }) => {
                match filter {
                    None => self.tag(0),
                    Some(filter) => {
                        self.tag(9);
                        self.scalar(filter);
                    }
                }
                self.text(table);
                self.list(columns, |out, ScanColumn { name, kind }| {
                    out.text(name);
                    out.column_type(kind);
                });
                self.owner(owner);
            }
            Relation::Released { part, types } => {
                self.tag(1);
                self.number(*part as u64);
                self.list(types, |out, kind| out.tag(type_tag(*kind)));
            }
            Relation::Map { input, filter, columns } => {
                self.tag(2);
                self.relation(input);
                self.option(filter.as_ref(), |out, filter| out.scalar(filter));
                self.list(columns, Self::scalar);
            }
            Relation::Join(join) => {
                let Join { left, right, kind, keys, condition } = join.as_ref();
                self.tag(3);
                self.relation(left);
                self.relation(right);
                self.tag(join_tag(*kind));
                self.list(keys, |out, (left, right)| {
                    out.scalar(left);
                    out.scalar(right);
                });
                self.option(condition.as_ref(), |out, condition| out.scalar(condition));
            }
            Relation::Union(inputs) => {
                self.tag(4);
                self.list(inputs, Self::relation);
            }
            Relation::Distinct(input) => {
                self.tag(5);
                self.relation(input);
            }
            Relation::Group { input, keys, aggregates } => {
                self.tag(6);
                self.relation(input);
                self.list(keys, Self::scalar);
                self.list(aggregates, Self::exact_aggregate);
            }
            Relation::Window { input, windows } => {
                self.tag(7);
                self.relation(input);
                self.list(windows, Self::window);
            }
            Relation::Order { input, by, skip, fetch } => {
                self.tag(8);
                self.relation(input);
                self.list(by, Self::order);
                self.number(*skip);
                self.option(fetch.as_ref(), |out, fetch| out.number(*fetch));
            }
        }
    }

    pub(super) fn order(&mut self, Order { by, kind: _, descending, nulls_first }: &Order) {
        self.scalar(by);
        self.tag(u8::from(*descending));
        self.tag(u8::from(*nulls_first));
    }

    fn exact_aggregate(&mut self, aggregate: &ExactAggregate) {
        let ExactAggregate { function, value, counted, distinct } = aggregate;
        match function {
            ExactFunction::Count => self.tag(0),
            ExactFunction::Sum => self.tag(1),
            ExactFunction::Average => self.tag(2),
            ExactFunction::Minimum => self.tag(3),
            ExactFunction::Maximum => self.tag(4),
            ExactFunction::Mode => self.tag(5),
            ExactFunction::QuantileContinuous(share) => {
                self.tag(6);
                self.number(share.to_bits());
            }
            ExactFunction::QuantileDiscrete(share) => {
                self.tag(7);
                self.number(share.to_bits());
            }
            ExactFunction::Variance { sample, root } => {
                self.tag(8);
                self.tag(u8::from(*sample));
                self.tag(u8::from(*root));
            }
            ExactFunction::Every => self.tag(9),
            ExactFunction::Some => self.tag(10),
        }
        self.scalar(value);
        self.option(counted.as_ref(), |out, counted| out.scalar(counted));
        self.tag(u8::from(*distinct));
    }

    fn window(&mut self, window: &Window) {
        let Window { function, partition, order, frame } = window;
        match function {
            WindowFunction::RowNumber => self.tag(0),
            WindowFunction::Rank => self.tag(1),
            WindowFunction::DenseRank => self.tag(2),
            WindowFunction::PercentRank => self.tag(3),
            WindowFunction::CumulativeDistribution => self.tag(4),
            WindowFunction::Tiles(tiles) => {
                self.tag(5);
                self.number(*tiles);
            }
            WindowFunction::Shifted { value, back, otherwise } => {
                self.tag(6);
                self.scalar(value);
                self.integer(*back);
                self.option(otherwise.as_ref(), |out, otherwise| out.scalar(otherwise));
            }
            WindowFunction::First(value) => {
                self.tag(7);
                self.scalar(value);
            }
            WindowFunction::Last(value) => {
                self.tag(8);
                self.scalar(value);
            }
            WindowFunction::Nth(value, number) => {
                self.tag(9);
                self.scalar(value);
                self.number(*number);
            }
            WindowFunction::Aggregate(aggregate) => {
                self.tag(10);
                self.exact_aggregate(aggregate);
            }
        }
        self.list(partition, Self::scalar);
        self.list(order, Self::order);
        let Frame { by_rows, start, end } = frame;
        self.tag(u8::from(*by_rows));
        for edge in [start, end] {
            match edge {
                FrameEnd::First => self.tag(0),
                FrameEnd::Before(rows) => {
                    self.tag(1);
                    self.number(*rows);
                }
                FrameEnd::Current => self.tag(2),
                FrameEnd::After(rows) => {
                    self.tag(3);
                    self.number(*rows);
                }
                FrameEnd::Last => self.tag(4),
            }
        }
    }
}

fn join_tag(kind: JoinKind) -> u8 {
    match kind {
        JoinKind::Inner => 0,
        JoinKind::Left => 1,
        JoinKind::Full => 2,
        JoinKind::Semi => 3,
        JoinKind::Anti => 4,
        JoinKind::NotIn => 5,
    }
}
