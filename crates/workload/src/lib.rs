//! Many tables at once: which measurements answer them with least noise, and what follows from those.
