// The entry point of `openapi/`: reads specifications in a separate process (reader.ts), and stores the results as
// files (files.ts).
export { openSpecFiles, type SpecFiles } from './files.js'
export type { FetchedFile, FetchFile, ReadSpec, SpecLimits, SpecProblem } from './messages.js'
export type { Operation, Outline } from './outline.js'
export { readSpec } from './reader.js'
