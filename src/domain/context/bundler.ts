/** The interface of the code that writes the bundles of sites. It renders pages, which the domain does not. */
import type { ShelvedFacts } from '../../kernel/file-shelf.js'
import type { BundleOrder } from '../../model/index.js'

/** The metadata of a stored bundle. */
export interface BundleFacts extends ShelvedFacts {
  /** SHA-256 of the file. */
  digest: string
  pages: number
}

/** The run of the job that writes a bundle. */
export interface BundleRun {
  signal: AbortSignal
  /** Reports the finished part of the pages, from 0 to 1. */
  progress(part: number): Promise<void>
}

/** @typeParam A the app */
export interface Bundler<A> {
  /**
   * Writes the bundle of an order to `site.zip` in a folder. Throws `BundleFailure`, or the reason of the signal when it
   * is aborted.
   */
  write(app: A, order: BundleOrder, folder: string, run: BundleRun): Promise<BundleFacts>
}

/** Thrown if a bundle cannot be written. The message gives the reason to the reader. */
export class BundleFailure extends Error {
  override name = 'BundleFailure'
}
