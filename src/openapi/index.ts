// The door of OpenAPI specifications: reading one in a process of its own (read.ts), and the files of what was read (files.ts).
export { openSpecFiles, type SpecFiles } from './files.js'
export type { FetchedFile, FetchFile, ReadSpec, SpecLimits, SpecProblem } from './messages.js'
export type { Operation, Outline } from './outline.js'
export { readSpec } from './reader.js'
