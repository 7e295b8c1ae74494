// The door of the conversions: what the tasks take and return, and where their table is. The converters themselves are loaded by threads alone.
export { type ContainerPart, unpackParts } from './container.js'
export type { OutlineFacts } from './outline.js'
export type { ConvertedPage, PageOptions } from './page.js'
export type { RobotsFacts } from './robots.js'
export type { SitemapFacts } from './sitemap.js'
export type { UnpackFacts, UnpackLimits } from './unpack.js'

/** The module with the table of tasks. */
export const CONVERSION_TASKS = new URL('./tasks.js', import.meta.url)
