/** The door of this folder. Pages are rendered by the task `render` of `tasks.ts`, in threads: what that loads is not loaded here. */
export { type BookFacts, type Chapter, chaptersDocument, type ContentsItem, frontDocument, type Sheet } from './book.js'
export { renderSource } from './source.js'
export type { RenderOrder } from './tasks.js'
export type { TargetTable } from './targets.js'
export type { LinkTarget, Rendered, RenderOptions, Targets } from './types.js'
