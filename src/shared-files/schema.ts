/** The migrations for the tables of files in PostgreSQL. See docs/design/scale-out.md. */
import type { Step } from '../postgres/index.js'

/** The name under which `migrate` counts the steps. */
export const ROOM = 'files'

export const steps: readonly Step[] = [
  {
    version: 1,
    // Many files are already compressed. With `EXTERNAL`, PostgreSQL does not compress them again.
    sql: `
      CREATE TABLE files (
        shelf text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        upload text COLLATE "C" NOT NULL,
        size bigint NOT NULL,
        hash text COLLATE "C" NOT NULL,
        facts json,
        written timestamptz NOT NULL DEFAULT now(),
        used timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (shelf, name)
      );
      CREATE TABLE file_uploads (upload text COLLATE "C" PRIMARY KEY, began timestamptz NOT NULL DEFAULT now());
      CREATE TABLE file_chunks (
        upload text COLLATE "C" NOT NULL,
        n integer NOT NULL,
        bytes bytea NOT NULL,
        PRIMARY KEY (upload, n)
      );
      ALTER TABLE file_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
      CREATE TABLE key_fingerprints (key text COLLATE "C" PRIMARY KEY, fingerprint text NOT NULL);
      CREATE TABLE migration_mark (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        source text NOT NULL,
        state text NOT NULL DEFAULT 'running',
        began timestamptz NOT NULL DEFAULT now(),
        ended timestamptz
      );
    `,
  },
]
