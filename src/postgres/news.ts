/** Learns what was written to the database since it was last asked, whoever wrote it: one small question that requests share. */
import type { Database, KeptConnection } from './database.js'
import { DatabaseAway, isAway } from './errors.js'
import { migrate, type Step } from './migrate.js'

/**
 * Triggers write a row for each thing that a transaction changes (`tellsOf`), as part of it. A question compares the view that it has with that of the
 * question before: what only the later one sees is new. So nobody waits for anybody, and no order of commits is needed.
 * After a crash of the database the tables are empty; then each node has a new connection, and with it starts from nothing.
 */
const TABLES = `
  CREATE UNLOGGED TABLE IF NOT EXISTS news (xid xid8 NOT NULL DEFAULT pg_current_xact_id(), name text COLLATE "C" NOT NULL);
  CREATE INDEX IF NOT EXISTS news_by_xid ON news (xid);
  CREATE UNLOGGED TABLE IF NOT EXISTS news_marks (
    at timestamptz NOT NULL DEFAULT clock_timestamp(), below xid8 NOT NULL DEFAULT pg_snapshot_xmin(pg_current_snapshot())
  );
`
const steps: readonly Step[] = [{ version: 1, sql: TABLES }]

/** Names that are remembered with the time of their last change. When there are more, all of them count as changed. */
const MOST_NAMES = 20_000
/** More changes since the last question are not read one by one. */
const MOST_ROWS = 5_000
/** Whoever did not ask for the first takes everything for changed; rows are deleted after the second, in seconds. The clock is the database's. */
const LONGEST_SILENCE_S = 300
const ROWS_LAST_S = 900

/** A mark tells which transactions had ended at a time. A row is deleted if its transaction had ended long ago, however long that took. */
const TRIM = [
  'INSERT INTO news_marks DEFAULT VALUES',
  `WITH old AS (DELETE FROM news_marks WHERE at < clock_timestamp() - interval '${ROWS_LAST_S} s' RETURNING below)
   DELETE FROM news WHERE xid < (SELECT max(below) FROM old)`,
]

const QUESTION = `SELECT pg_current_snapshot()::text AS view, clock_timestamp()::text AS at, pg_relation_filenode('news')::text AS file,
  CASE WHEN $2::timestamptz > clock_timestamp() - interval '${LONGEST_SILENCE_S} s' THEN
    ARRAY(SELECT name FROM news WHERE xid >= pg_snapshot_xmin($1::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, $1::pg_snapshot) LIMIT ${MOST_ROWS + 1})
  END AS names`

interface Answer {
  /** What the database showed to the question. */
  view: string
  at: string
  /** Another one after somebody replaced all rows, as a backup that is put back does. */
  file: string
  /** What has changed; null = not known, so anything may have. */
  names: string[] | null
}

/** What stands in the database, by stamps: a stamp that is the same as before means that nothing has changed. */
export interface News {
  /** Changes whenever any stamp does. */
  readonly version: number
  /** A number that changes when something was changed that is called so (see `tellsOf`), as far as `ask` has learned of it. */
  stamp(name: string): number
  /** Resolves when everything is known that was committed before this call. Throws `DatabaseAway`. */
  ask(): Promise<void>
  /** Deletes what nobody asks for any more. */
  trim(): Promise<void>
  close(): Promise<void>
}

/** SQL that lets every change of a row be told under a name: a letter and columns of the row, separated by spaces. Part of the step that makes the table, or of a later one. */
export function tellsOf(table: string, letter: string, columns: readonly string[]): string {
  const name = (row: string): string => `'${letter} ' || ${columns.map((column) => `${row}.${column}`).join(" || ' ' || ")}`
  return `
    ${TABLES}
    CREATE FUNCTION tell_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP <> 'INSERT' THEN INSERT INTO news (name) VALUES (${name('OLD')}); END IF;
      IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND ${name('OLD')} <> ${name('NEW')}) THEN INSERT INTO news (name) VALUES (${name('NEW')}); END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER tell_${table} AFTER INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION tell_${table}();
  `
}

/** Opens the news; it takes one connection of its own. Throws `DatabaseAway`. */
export async function openNews(database: Database): Promise<News> {
  await migrate(database, 'news', steps)
  const news = new DatabaseNews(database)
  await news.ask()
  return news
}

class DatabaseNews implements News {
  version = 1
  readonly #database: Database
  // bound: MOST_NAMES
  readonly #stamps = new Map<string, number>()
  /** The stamp of everything that is not in `#stamps`. */
  #floor = 1
  #connection: KeptConnection | null = null
  #before: Answer | null = null
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null
  #closed = false

  constructor(database: Database) {
    this.#database = database
  }

  stamp(name: string): number {
    return this.#stamps.get(name) ?? this.#floor
  }

  ask(): Promise<void> {
    // Who asks while a question runs waits for the next one: the running one may have begun before something that they know of.
    this.#next ??= this.#after(this.#running)
    return this.#next
  }

  async #after(running: Promise<void>): Promise<void> {
    await running.catch(() => {})
    // Those who ask in the same turn of the event loop share the question.
    await new Promise((turn) => setImmediate(turn))
    this.#next = null
    this.#running = this.#question()
    return this.#running
  }

  async #question(): Promise<void> {
    if (this.#closed) return
    try {
      // A view is compared only with one of the same connection: a database that was restored has new connections.
      if (this.#connection?.isBroken() !== false) await this.#connect()
      const before = this.#before
      const values = [before?.view ?? null, before?.at ?? null]
      const [now] = (await this.#connection?.query<Answer>(QUESTION, values, 'news')) ?? []
      if (!now) return
      this.#before = now
      if (now.names === null || now.names.length > MOST_ROWS || now.file !== before?.file) this.#forget()
      else if (now.names.length > 0) this.#note(now.names)
    } catch (error) {
      this.#drop()
      throw isAway(error) ? new DatabaseAway(error) : error
    }
  }

  async #connect(): Promise<void> {
    this.#drop()
    this.#connection = await this.#database.keep()
  }

  /** Nothing that is known counts any more. */
  #drop(): void {
    this.#connection?.end()
    this.#connection = null
    this.#before = null
    this.#forget()
  }

  #note(names: readonly string[]): void {
    this.version++
    for (const name of names) this.#stamps.set(name, this.version)
    if (this.#stamps.size > MOST_NAMES) this.#forget()
  }

  #forget(): void {
    this.#stamps.clear()
    this.#floor = ++this.version
  }

  async trim(): Promise<void> {
    for (const statement of TRIM) await this.#database.query(statement)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#running.catch(() => {})
    this.#connection?.end()
  }
}
