/**
 * The PostgreSQL client library. It is loaded when the first database is opened, because most installations have none.
 */
import { createRequire } from 'node:module'

type Library = typeof import('pg')

const load = createRequire(import.meta.url)

/** Returns the exports of the library. */
export const postgres = (): Library => load('pg')
