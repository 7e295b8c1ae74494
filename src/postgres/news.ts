/**
 * Detects changes in the database since the last query, no matter which node made them. Requests share one small query.
 */
import type { Database, DedicatedConnection } from './database.js'
import { DatabaseAway, isAway } from './errors.js'
import { migrate, type Step } from './migrate.js'

/**
 * Triggers insert a row for each thing that a transaction changes (`changeTriggers`), as part of the transaction. A
 * query compares its snapshot with the snapshot of the previous query: everything that only the later one sees is new.
 * So no transaction waits for another, and the order of commits does not matter. After a crash of the database, the
 * tables are empty. Each node then has a new connection, and starts with an empty state.
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

/**
 * Maximum number of names that are remembered with the time of their last change. Beyond it, everything counts as
 * changed.
 */
const MAX_NAMES = 20_000
/** Maximum number of changes that one query reads. Beyond it, everything counts as changed. */
const MAX_ROWS = 5_000
/**
 * A node that has not asked for the first time counts everything as changed. Rows are deleted after the second. In
 * seconds, by the clock of the database.
 */
const MAX_SILENCE_S = 300
const ROWS_LAST_S = 900

/**
 * A mark records which transactions had ended at a time. A row is deleted if its transaction ended long ago, no matter
 * how long it took. Marks and rows from a backup have the transaction numbers of another server: such marks are
 * ignored, and rows of transactions that have not started are deleted.
 */
const TRIM = [
  'INSERT INTO news_marks DEFAULT VALUES',
  `WITH old AS (DELETE FROM news_marks WHERE at < clock_timestamp() - interval '${ROWS_LAST_S} s' RETURNING below, file)
   DELETE FROM news WHERE xid < (SELECT max(below) FROM old WHERE file = pg_relation_filenode('news')) OR xid >= pg_snapshot_xmax(pg_current_snapshot())`,
]

/** The name that stands for everything, after a table was truncated. */
const ALL = '*'

/**
 * Reads the names that the previous snapshot did not show: those of later transactions, and of transactions that were
 * running then. The index finds both.
 */
const QUESTION = `SELECT pg_current_snapshot()::text AS view, clock_timestamp()::text AS at,
  pg_backend_pid() || ' ' || pg_relation_filenode('news') AS place,
  CASE WHEN $2::timestamptz > clock_timestamp() - interval '${MAX_SILENCE_S} s' THEN
    ARRAY(SELECT name FROM news WHERE xid >= pg_snapshot_xmax($1::pg_snapshot)
      UNION ALL SELECT name FROM news WHERE xid = ANY(ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))
      LIMIT ${MAX_ROWS + 1})
  END AS names`

interface Answer {
  /** The snapshot of the query. */
  view: string
  at: string
  /** Changes if another server process responds, or if all rows were replaced, for example by restoring a backup. */
  place: string
  /** The changed names; null = unknown, so anything may have changed. */
  names: string[] | null
}

/** Changes in the database as stamps: an unchanged stamp means that nothing has changed. */
export interface News {
  /** Changes when any stamp changes. */
  readonly version: number
  /** Changes if the database may have been replaced: then known identifiers may come back with another meaning. */
  readonly epoch: number
  /**
   * Returns a number that changes when something with this name changes (see `changeTriggers`) and `ask` has detected
   * it.
   */
  stamp(name: string): number
  /** Resolves when everything is known that was committed before this call. Throws `DatabaseAway`. */
  ask(): Promise<void>
  /** Deletes old rows that no node reads. */
  trim(): Promise<void>
  /** Ends the connection. Later calls of `ask` throw. */
  close(): Promise<void>
}

/**
 * Returns SQL for triggers that report every change of a row under a name: a letter and columns of the row, separated
 * by spaces. Use it in the step that creates the table, or in a later one. `ALWAYS` includes changes by replication and
 * repairs.
 */
export function changeTriggers(table: string, letter: string, columns: readonly string[]): string {
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

/** Opens the news. They use one dedicated connection. Throws `DatabaseAway`. */
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
  /** The stamp of every name that is not in `#stamps`. */
  #floor = 1
  #connection: DedicatedConnection | null = null
  #before: Answer | null = null
  /** Time of the last query by this process's monotonic clock. */
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
    // A caller that arrives while a query runs waits for the next one. The running query may have started before a
    // change that the caller knows of.
    this.#next ??= this.#after(this.#running)
    return this.#next
  }

  async #after(running: Promise<void>): Promise<void> {
    await running.catch(() => {})
    // Calls in the same turn of the event loop share one query.
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
      // A lost connection need not mean that the database is unreachable.
      if (isAway(error) && !isNew && !this.#closed) return this.#question()
      throw isAway(error) ? new DatabaseAway(error) : error
    }
  }

  async #learn(): Promise<void> {
    if (this.#closed) throw new DatabaseAway(new Error('the news feed was closed'))
    // Compare only snapshots of the same connection: after a restore, the database has new connections.
    if (this.#connection?.isBroken() !== false) await this.#connect()
    const before = performance.now() - this.#askedAt < MAX_SILENCE_S * 1000 ? this.#before : null
    const askedAt = performance.now()
    const [now] =
      (await this.#connection?.query<Answer>(QUESTION, [before?.view ?? null, before?.at ?? null], 'news')) ?? []
    if (!now) throw new Error('the query for news returned no row')
    if (now.place !== this.#before?.place) this.epoch++
    this.#before = now
    this.#askedAt = askedAt
    if (now.names === null || now.names.length > MAX_ROWS || now.place !== before?.place || now.names.includes(ALL))
      this.#forget()
    else if (now.names.length > 0) this.#note(now.names)
  }

  async #connect(): Promise<void> {
    this.#drop()
    this.#connection = await this.#database.reserve()
  }

  /** Discards everything that is known. */
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
