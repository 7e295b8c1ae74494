/** The door of this folder: full-text indexes in SQLite files, one for each space. Its work runs in threads (`tasks.ts`). */
export type { FoundPage, FoundSection, IndexedPage, IndexedText, SpaceHits, SpaceQuery, UpdateState } from './types.js'
