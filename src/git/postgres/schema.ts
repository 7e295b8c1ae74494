/** The migrations for the tables of repositories in PostgreSQL. See docs/design/scale-out.md. */
import { type Step, changeTriggers } from '../../postgres/index.js'

/** The name under which `migrate` counts the steps. */
export const ROOM = 'repositories'

/** Maximum size of a row with a part of a pack or index, in bytes. */
export const CHUNK_BYTES = 1024 * 1024

export const steps: readonly Step[] = [
  {
    version: 1,
    // Packs are already compressed, so PostgreSQL should not compress them again.
    sql: `
      CREATE TABLE repositories (
        name text COLLATE "C" PRIMARY KEY,
        incarnation text COLLATE "C" NOT NULL,
        sequence bigint NOT NULL,
        chain text COLLATE "C" NOT NULL,
        epoch bigint NOT NULL
      );
      CREATE TABLE repository_refs (
        name text COLLATE "C" NOT NULL REFERENCES repositories ON DELETE CASCADE,
        ref text COLLATE "C" NOT NULL,
        commit text COLLATE "C" NOT NULL,
        PRIMARY KEY (name, ref)
      );
      CREATE TABLE repository_moves (
        name text COLLATE "C" NOT NULL REFERENCES repositories ON DELETE CASCADE,
        sequence bigint NOT NULL,
        id text COLLATE "C" NOT NULL,
        chain text COLLATE "C" NOT NULL,
        reason text NOT NULL,
        moves json NOT NULL,
        at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (name, sequence)
      );
      CREATE TABLE packs (
        id text COLLATE "C" PRIMARY KEY,
        bytes bigint NOT NULL,
        index_bytes bigint NOT NULL,
        made timestamptz NOT NULL DEFAULT now()
      );
      CREATE TABLE pack_chunks (
        pack text COLLATE "C" NOT NULL REFERENCES packs ON DELETE CASCADE,
        part smallint NOT NULL,
        n integer NOT NULL,
        bytes bytea NOT NULL,
        PRIMARY KEY (pack, part, n)
      );
      ALTER TABLE pack_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
      CREATE TABLE repository_packs (
        name text COLLATE "C" NOT NULL REFERENCES repositories ON DELETE CASCADE,
        pack text COLLATE "C" NOT NULL REFERENCES packs,
        sequence bigint NOT NULL,
        retired timestamptz,
        PRIMARY KEY (name, pack)
      );
      CREATE INDEX repository_packs_by_pack ON repository_packs (pack);
      CREATE INDEX repository_packs_retired ON repository_packs (retired) WHERE retired IS NOT NULL;
    `,
  },
  {
    version: 2,
    // Notifies readers of a ref when it moves.
    sql: changeTriggers('repository_refs', 'r', ['name', 'ref']),
  },
]
