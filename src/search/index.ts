/**
 * The entry point of `search/`: full-text indexes in SQLite files, one for each space. The work runs in threads
 * (`tasks.ts`).
 */
export type { FoundPage, FoundSection, IndexedPage, IndexedText, SpaceHits, SpaceQuery, UpdateState } from './types.js'
