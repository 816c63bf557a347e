use pointillist_privacy::Price;

use super::*;

/// One entry of every kind, with every optional field once there and once not.
fn entries() -> Vec<Entry> {
    let account =
        |analyst: Option<&str>| Account { scope: "people".into(), analyst: analyst.map(Into::into) };
    let amount = Amount { loss_units: u128::MAX - 1, delta_units: 7 };
    let asked = |id: Option<&str>| Asked {
        request_id: id.map(Into::into),
        analyst: "ada".into(),
        scope: "people".into(),
        question: Digest([3; 32]),
        request: Digest([4; 32]),
    };
    let spent = |analyst| Spent { account: account(analyst), currency: Currency::Pure, amount };
    let preparation = |currency| {
        let price = Price::from_units(currency, amount).unwrap();
        let (name, who) = ("visits_2026".into(), "ada".into());
        Record::Preparation(Preparation { name, plan: Digest([7; 32]), price, who })
    };
    let publication = |not_before: Option<&str>| {
        Record::Publication(Publication {
            reserve_seq: 4,
            name: "visits_2026".into(),
            plan: Digest([7; 32]),
            statement: Digest([8; 32]),
            not_before: not_before.map(Into::into),
        })
    };
    let records = [
        Record::Epoch,
        Record::Grant { account: account(None), budget: Budget { currency: Currency::Zcdp, amount } },
        Record::Grant { account: account(Some("ada")), budget: Budget { currency: Currency::Pure, amount } },
        Record::Dataset(Dataset {
            name: "table visits".into(),
            scope: Some("people".into()),
            source: "visits.csv".into(),
            unit: "row".into(),
        }),
        Record::Dataset(Dataset {
            name: "table rivers".into(),
            scope: None,
            source: "rivers.csv".into(),
            unit: "nobody".into(),
        }),
        Record::Reserve(Reserve { asked: asked(None), cost: amount }),
        Record::Reserve(Reserve { asked: asked(Some("r1")), cost: amount }),
        Record::Release(Release {
            reserve_seq: 4,
            request_id: None,
            answer_hash: Digest([5; 32]),
            sealed: vec![1, 2, 3],
        }),
        Record::Repeat(Repeat { asked: asked(Some("r2")), release_seq: 6, share_cost: amount }),
        Record::Burn { anchor_seq: 9, anchor_head: Digest([6; 32]), spent: vec![] },
        Record::Burn {
            anchor_seq: 9,
            anchor_head: Digest([6; 32]),
            spent: vec![spent(None), spent(Some("bo"))],
        },
        preparation(Currency::Zcdp),
        preparation(Currency::Pure),
        Record::Approval(Approval { plan: Digest([7; 32]), who: "bo".into() }),
        publication(None),
        publication(Some("2026-12-01")),
        Record::Join,
        Record::Fence { epoch: Epoch([8; 16]) },
        Record::Departure(Departure { to: StoreId([7; 16]), name: "postgres:main".into() }),
        Record::Arrival { at: StoreId([7; 16]) },
    ];
    let entry = |(index, record)| {
        let at = (index % 2 == 0).then_some(1_700_000_000 + index as u64);
        Entry { seq: index as u64 + 1, epoch: Epoch([9; 16]), at, record }
    };
    records.into_iter().enumerate().map(entry).collect()
}

#[test]
fn every_record_reads_back() {
    for entry in entries() {
        assert_eq!(Entry::decode(&entry.encode()).as_ref(), Some(&entry), "{}", entry.record.kind());
    }
}

/// Specification: bytes that read at all are the bytes that would be written. Every prefix and every flip of one
/// bit either does not read or reads as another entry with exactly those bytes.
#[test]
fn every_value_has_one_spelling() {
    for entry in entries() {
        let bytes = entry.encode();
        for length in 0..bytes.len() {
            assert_eq!(Entry::decode(&bytes[..length]), None, "a prefix of {}", entry.record.kind());
        }
        assert_eq!(Entry::decode(&[&bytes[..], &[0]].concat()), None, "something after the end");
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            if let Some(other) = Entry::decode(&flipped) {
                assert_ne!(other, entry);
                assert_eq!(other.encode(), flipped);
            }
        }
    }
}

#[test]
fn arbitrary_bytes_never_panic() {
    let mut bytes = vec![0u8; 300];
    let mut state = 1u32;
    for _ in 0..20_000 {
        for byte in &mut bytes {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = if state & 0x300 == 0 { (state >> 24) as u8 } else { (state >> 30) as u8 };
        }
        let length = state as usize % bytes.len();
        if let Some(entry) = Entry::decode(&bytes[..length]) {
            assert_eq!(entry.encode(), &bytes[..length]);
        }
    }
}

#[test]
fn what_depends_on_noise_can_be_left_out() {
    let release = |sealed: &[u8]| {
        let record = Record::Release(Release {
            reserve_seq: 1,
            request_id: None,
            answer_hash: Digest::of("test", &[sealed]),
            sealed: sealed.to_vec(),
        });
        Entry { seq: 2, epoch: Epoch([0; 16]), at: None, record }
    };
    assert_ne!(release(b"12"), release(b"345"));
    assert_eq!(release(b"12").without_answer(), release(b"345").without_answer());
}

#[test]
fn nothing_is_prepared_for_free() {
    let price = Price::from_units(Currency::Zcdp, Amount { loss_units: 1, delta_units: 0 }).unwrap();
    let preparation = Preparation { name: "v".into(), plan: Digest([7; 32]), price, who: "ada".into() };
    let entry = Entry { seq: 1, epoch: Epoch([9; 16]), at: None, record: Record::Preparation(preparation) };
    let mut bytes = entry.encode();
    assert!(Entry::decode(&bytes).is_some());
    let unit = bytes.len() - (8 + 3) - 16 - 1;
    assert_eq!(bytes[unit], 1);
    bytes[unit] = 0;
    assert_eq!(Entry::decode(&bytes), None);
}
