/**
 * Shows that its holder has the lock of a space: whoever moves a ref hands it over. Only the lock itself makes one, so exclusion
 * has one place, also where several processes share the repositories.
 */
export interface Lease {
  /** Throws if the lock was given back meanwhile, which is a mistake of the caller, or if it is known to be lost. */
  assertHeld(): void
  /**
   * Where several processes share the repositories: the number of this holding of the lock, which the transaction that moves refs checks. No
   * other holding of the lock, by whomever, ever has the same.
   */
  readonly fence?: Fence
}

/** One holding of a lease, by the lease's name and its number, which grows with each holding. */
export interface Fence {
  readonly name: string
  readonly fence: number
}
