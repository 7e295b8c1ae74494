/**
 * Files that the service generates from documents and content. They can be deleted at any time and are then generated
 * again.
 */

/** The metadata that is stored with a file. */
export interface ShelvedFacts {
  /** Size of the file in bytes. */
  bytes: number
}

/** A stored file. */
export type Shelved<F extends ShelvedFacts> = F & { path: string }

/** The stored files of one kind. `owner` is a space or a site; `key` identifies the inputs of the file. */
export interface FileShelf<F extends ShelvedFacts> {
  find(owner: string, key: string): Promise<Shelved<F> | null>
  /**
   * Creates an empty work folder for a job. Deletes those that a crash left behind, because only one file of a kind is
   * made at a time.
   */
  workFolder(job: string): Promise<string>
  /** Moves the file out of a work folder, removes the folder, and deletes the least recently used files. */
  keep(owner: string, key: string, folder: string, facts: F): Promise<void>
  discard(folder: string): Promise<void>
  /** Removes all files of an owner. */
  remove(owner: string): Promise<void>
}
