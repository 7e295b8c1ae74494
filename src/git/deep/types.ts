/** What a second reader of a repository found. */
export interface DeepFindings {
  /** Empty = sound. */
  complaints: string[]
  /** What was not compared, and why. */
  notes: string[]
}
