// The entry point of `conversion/`: the arguments and results of the tasks, and the module with their table. Only
// threads load the converters.
export { type ContainerPart, unpackParts } from './container.js'
export type { OutlineFacts } from './outline.js'
export type { ConvertedPage, PageOptions } from './page.js'
export type { RobotsFacts } from './robots.js'
export type { SitemapFacts } from './sitemap.js'
export type { UnpackFacts, UnpackLimits } from './unpack.js'

/** The module with the table of tasks. */
export const CONVERSION_TASKS = new URL('./tasks.js', import.meta.url)
