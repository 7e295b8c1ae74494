/** The entry point of this folder: a disposable index of values derived from Git objects, in an SQLite file. */
export { type FactsIndex, openFacts } from './facts.js'
export type { FactRow, FactsOptions } from './types.js'
