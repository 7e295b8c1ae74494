/** The door of this folder: a disposable index of what is derived from Git objects, in an SQLite file. */
export { type FactRow, type Facts, type FactsOptions, openFacts } from './facts.js'
