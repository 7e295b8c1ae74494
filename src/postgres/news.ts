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
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    below xid8 NOT NULL DEFAULT pg_snapshot_xmin(pg_current_snapshot()),
    file oid NOT NULL DEFAULT pg_relation_filenode('news')
  );
  CREATE OR REPLACE FUNCTION tell_all() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO news (name) VALUES ('*');
    RETURN NULL;
  END $$;
`
const steps: readonly Step[] = [{ version: 1, sql: TABLES }]

/** Names that are remembered with the time of their last change. When there are more, all of them count as changed. */
const MAX_NAMES = 20_000
/** More changes since the last question are not read one by one. */
const MAX_ROWS = 5_000
/** Whoever did not ask for the first takes everything for changed; rows are deleted after the second, in seconds. The clock is the database's. */
const MAX_SILENCE_S = 300
const ROWS_LAST_S = 900

/**
 * A mark tells which transactions had ended at a time. A row is deleted if its transaction had ended long ago, however long that took. Marks and rows that came
 * with a backup have the numbers of another server: such marks count for nothing, and rows of transactions that have not begun are deleted.
 */
const TRIM = [
  'INSERT INTO news_marks DEFAULT VALUES',
  `WITH old AS (DELETE FROM news_marks WHERE at < clock_timestamp() - interval '${ROWS_LAST_S} s' RETURNING below, file)
   DELETE FROM news WHERE xid < (SELECT max(below) FROM old WHERE file = pg_relation_filenode('news')) OR xid >= pg_snapshot_xmax(pg_current_snapshot())`,
]

/** The name of everything: a table was truncated. */
const ALL = '*'

/** What the view before did not see: transactions that began after it, and those that were running then. Both are found by the index. */
const QUESTION = `SELECT pg_current_snapshot()::text AS view, clock_timestamp()::text AS at,
  pg_backend_pid() || ' ' || pg_relation_filenode('news') AS place,
  CASE WHEN $2::timestamptz > clock_timestamp() - interval '${MAX_SILENCE_S} s' THEN
    ARRAY(SELECT name FROM news WHERE xid >= pg_snapshot_xmax($1::pg_snapshot)
      UNION ALL SELECT name FROM news WHERE xid = ANY(ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))
      LIMIT ${MAX_ROWS + 1})
  END AS names`

interface Answer {
  /** What the database showed to the question. */
  view: string
  at: string
  /** Another one if another process of the server answers, or somebody replaced all rows, as a backup that is put back does. */
  place: string
  /** What has changed; null = not known, so anything may have. */
  names: string[] | null
}

/** What stands in the database, by stamps: a stamp that is the same as before means that nothing has changed. */
export interface News {
  /** Changes whenever any stamp does. */
  readonly version: number
  /** Changes if the database may have become another one: what was there may come again with another meaning. */
  readonly epoch: number
  /** A number that changes when something was changed that is called so (see `tellsOf`), as far as `ask` has learned of it. */
  stamp(name: string): number
  /** Resolves when everything is known that was committed before this call. Throws `DatabaseAway`. */
  ask(): Promise<void>
  /** Deletes what nobody asks for any more. */
  trim(): Promise<void>
  /** Ends the connection; from now on `ask` throws. */
  close(): Promise<void>
}

/**
 * SQL that lets every change of a row be told under a name: a letter and columns of the row, separated by spaces. Part of the step that makes the table, or of a later
 * one. `ALWAYS`: also what replication and repairs write.
 */
export function tellsOf(table: string, letter: string, columns: readonly string[]): string {
  const name = (row: string): string =>
    `'${letter} ' || ${columns.map((column) => `${row}.${column}`).join(" || ' ' || ")}`
  return `
    ${TABLES}
    CREATE FUNCTION tell_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP <> 'INSERT' THEN INSERT INTO news (name) VALUES (${name('OLD')}); END IF;
      IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND ${name('OLD')} <> ${name('NEW')}) THEN INSERT INTO news (name) VALUES (${name('NEW')}); END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER tell_${table} AFTER INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION tell_${table}();
    CREATE TRIGGER tell_all AFTER TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION tell_all();
    ALTER TABLE ${table} ENABLE ALWAYS TRIGGER tell_${table}, ENABLE ALWAYS TRIGGER tell_all;
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
  epoch = 1
  readonly #database: Database
  // bound: MAX_NAMES
  readonly #stamps = new Map<string, number>()
  /** The stamp of everything that is not in `#stamps`. */
  #floor = 1
  #connection: KeptConnection | null = null
  #before: Answer | null = null
  /** By this process's clock, which nobody sets back. */
  #askedAt = Number.NEGATIVE_INFINITY
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
    const isNew = this.#connection === null
    try {
      await this.#learn()
    } catch (error) {
      this.#drop()
      // That the connection was lost need not mean that the database is away.
      if (isAway(error) && !isNew && !this.#closed) return this.#question()
      throw isAway(error) ? new DatabaseAway(error) : error
    }
  }

  async #learn(): Promise<void> {
    if (this.#closed) throw new DatabaseAway(new Error('the news are closed'))
    // A view is compared only with one of the same connection: a database that was restored has new connections.
    if (this.#connection?.isBroken() !== false) await this.#connect()
    const before = performance.now() - this.#askedAt < MAX_SILENCE_S * 1000 ? this.#before : null
    const askedAt = performance.now()
    const [now] =
      (await this.#connection?.query<Answer>(QUESTION, [before?.view ?? null, before?.at ?? null], 'news')) ?? []
    if (!now) throw new Error('the question for news has no answer')
    if (now.place !== this.#before?.place) this.epoch++
    this.#before = now
    this.#askedAt = askedAt
    if (now.names === null || now.names.length > MAX_ROWS || now.place !== before?.place || now.names.includes(ALL))
      this.#forget()
    else if (now.names.length > 0) this.#note(now.names)
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
    if (this.#stamps.size > MAX_NAMES) this.#forget()
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
    this.#connection?.end()
    await this.#running.catch(() => {})
    this.#drop()
  }
}
