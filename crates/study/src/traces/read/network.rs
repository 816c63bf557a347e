//! Networks of the inside, as people write them.

use std::net::IpAddr;
use std::str::FromStr;

use crate::traces::error::TraceError;

/// Addresses that begin alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u32,
}

impl Network {
    /// Whether an address is one of them.
    pub fn contains(&self, address: &IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                same(u128::from(u32::from(own)), u128::from(u32::from(*other)), 32 - self.bits)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                same(u128::from(own), u128::from(*other), 128 - self.bits)
            }
            _ => false,
        }
    }
}

fn same(one: u128, other: u128, rest: u32) -> bool {
    (one ^ other).checked_shr(rest).unwrap_or_default() == 0
}

impl FromStr for Network {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        let no_network = || TraceError::NoNetwork { given: text.chars().take(60).collect() };
        let (address, bits) = text.split_once('/').ok_or_else(no_network)?;
        let address: IpAddr = address.parse().map_err(|_| no_network())?;
        let bits: u32 = bits.parse().map_err(|_| no_network())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        (bits <= most).then_some(Self { address, bits }).ok_or_else(no_network)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_holds_the_addresses_that_begin_like_it() {
        let holds = |network: &str, address: &str| {
            network.parse::<Network>().unwrap().contains(&address.parse().unwrap())
        };
        assert!(holds("10.0.0.0/8", "10.255.0.1") && !holds("10.0.0.0/8", "11.0.0.1"));
        assert!(holds("0.0.0.0/0", "200.1.2.3") && !holds("0.0.0.0/0", "::1"));
        assert!(holds("2001:db8::/32", "2001:db8:ffff::1") && !holds("2001:db8::/32", "2001:db9::1"));
        assert!(holds("::/0", "::1") && holds("192.168.1.7/32", "192.168.1.7"));
        for wrong in ["10.0.0.0", "10.0.0.0/33", "ten/8", "10.0.0.0/-1", "::1/129"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }
}
