/**
 * Shows that its holder has the lock of a space: whoever moves a ref hands it over. Only the lock itself makes one, so exclusion
 * has one place, also if several processes are to share the repositories one day.
 */
export interface Lease {
  /** Throws if the lock was given back meanwhile, which is a mistake of the caller. */
  assertHeld(): void
}
