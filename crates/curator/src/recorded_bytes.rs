//! Bytes of what was released, as the integers that the ledger records.

/// Bytes as integers, in the form that is recorded: how many there are, then fifteen of them in each.
pub(crate) fn packed(bytes: &[u8]) -> Vec<i128> {
    let word = |chunk: &[u8]| chunk.iter().fold(0i128, |word, byte| (word << 8) | i128::from(*byte));
    std::iter::once(bytes.len() as i128).chain(bytes.chunks(BYTES).map(word)).collect()
}

pub(crate) fn unpacked(integers: &[i128]) -> Option<Vec<u8>> {
    let (length, words) = integers.split_first()?;
    let length = usize::try_from(*length).ok().filter(|length| length.div_ceil(BYTES) == words.len())?;
    let mut bytes = Vec::with_capacity(length);
    for word in words {
        let own = (length - bytes.len()).min(BYTES);
        let all = u128::try_from(*word).ok()?.to_be_bytes();
        let (above, own) = all.split_at(all.len() - own);
        above.iter().all(|byte| *byte == 0).then(|| bytes.extend_from_slice(own))?;
    }
    Some(bytes)
}

const BYTES: usize = 15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_from_the_record() {
        for length in [0, 1, 14, 15, 16, 29, 30, 31, 1000] {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 37 % 256) as u8).collect();
            assert_eq!(unpacked(&packed(&bytes)), Some(bytes));
        }
        assert_eq!(unpacked(&[]), None);
        assert_eq!(unpacked(&[-1]), None);
        assert_eq!(unpacked(&[16, 1]), None);
        assert_eq!(unpacked(&[1, 256]), None, "a byte that is none");
        assert_eq!(unpacked(&[2, -5]), None);
    }
}
