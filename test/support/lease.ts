import type { Lease } from '../../src/kernel/lease.js'

/** For tests of the Git layer alone, in which nobody holds a lock. */
export const anyLease: Lease = { assertHeld: () => {} }
