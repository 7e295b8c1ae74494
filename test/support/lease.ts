import type { Lease } from '../../src/kernel/lease.js'

/** A lease for tests of the Git layer, which need no lock. */
export const anyLease: Lease = { assertHeld: () => {} }
