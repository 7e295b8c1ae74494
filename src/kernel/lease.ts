/**
 * Proof that the holder has the lock of a space, required for moving a ref. Only the lock creates one, so mutual
 * exclusion
 * is implemented in one place, even if several processes share the repositories.
 */
export interface Lease {
  /** Throws if the lock was released, which is a mistake of the caller, or if it is known to be lost. */
  assertHeld(): void
  /**
   * Set if several processes share the repositories: the fencing token that the transaction checks when it moves refs.
   * Each time the lock is taken, the token is new.
   */
  readonly fence?: Fence
}

/** The fencing token of a lease: its name and a number that increases each time it is taken. */
export interface Fence {
  readonly name: string
  readonly fence: number
}
