import { gitExport } from './git-export.js'
import { gitImport } from './git-import.js'
import type { JobKind } from './job-kind.js'

/** Every kind of job. */
export const jobKinds: ReadonlyMap<string, JobKind> = new Map([gitImport, gitExport].map((kind) => [kind.kind, kind]))
