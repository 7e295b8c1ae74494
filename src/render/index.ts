/**
 * The entry point of `render/`. Threads render pages with the task `render` of `tasks.ts`; its modules are not loaded
 * here.
 */
export { type BookFacts, type Chapter, chaptersDocument, type ContentsItem, frontDocument, type Sheet } from './book.js'
export type { BlockPlace, PageVersion, RenderedChange } from './changes.js'
export { renderSource } from './source.js'
export type { ComparedVersions } from './seen.js'
export type { SourcePlace } from './source-places.js'
export type { SuggestibleBlock } from './suggestible.js'
export type { PageBlock, RenderOrder } from './tasks.js'
export type { RenderedRange } from './page.js'
export type { TargetTable } from './targets.js'
export { EMBED_HOSTS } from './site/embeds.js'
export { type BlockWords, ENGLISH as BLOCK_WORDS } from './site/words.js'
export type {
  LinkTarget,
  PageHistory,
  Rendered,
  RenderOptions,
  ShownChange,
  SiteOptions,
  Targets,
} from './types.js'
