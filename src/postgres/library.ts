/** The library that speaks to PostgreSQL, loaded when the first database is opened: most installations have none. */
import { createRequire } from 'node:module'

type Library = typeof import('pg')

const load = createRequire(import.meta.url)

/** What the library exports. */
export const postgres = (): Library => load('pg') as Library
