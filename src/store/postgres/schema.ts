/** The tables of the documents in PostgreSQL, step by step. docs/design/scale-out.md explains them. */
import { type Step, tellsOf } from '../../postgres/index.js'

/** The name under which `migrate` counts the steps. */
export const ROOM = 'documents'

export const steps: readonly Step[] = [
  {
    version: 1,
    // Bodies are `json`, not `jsonb`: that keeps every byte of the text, so the order of members, and takes \u0000 and lone surrogates.
    sql: `
      CREATE TABLE documents (
        of text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        version bigint NOT NULL,
        shape text COLLATE "C" NOT NULL,
        body json NOT NULL,
        PRIMARY KEY (of, id)
      );
      CREATE INDEX documents_by_shape ON documents (of, shape);
      CREATE TABLE document_keys (
        of text COLLATE "C" NOT NULL,
        index text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        once boolean NOT NULL,
        PRIMARY KEY (of, index, key, id)
      );
      CREATE UNIQUE INDEX document_keys_once ON document_keys (of, index, key) WHERE once;
      CREATE TABLE document_places (
        of text COLLATE "C" NOT NULL,
        list text COLLATE "C" NOT NULL,
        grp text COLLATE "C" NOT NULL,
        place bytea NOT NULL,
        rest bytea NOT NULL,
        id text COLLATE "C" NOT NULL
      );
      CREATE INDEX document_places_in_order ON document_places (of, list, grp, place);
      CREATE TABLE journal_groups (
        journal text COLLATE "C" NOT NULL,
        grp text COLLATE "C" NOT NULL,
        name json NOT NULL,
        first bigint NOT NULL,
        next bigint NOT NULL,
        PRIMARY KEY (journal, grp)
      );
      CREATE TABLE journal_records (
        journal text COLLATE "C" NOT NULL,
        grp text COLLATE "C" NOT NULL,
        position bigint NOT NULL,
        at text COLLATE "C" NOT NULL,
        body json NOT NULL,
        PRIMARY KEY (journal, grp, position)
      );
      CREATE TABLE document_migrations (one boolean PRIMARY KEY CHECK (one), version integer NOT NULL);
      CREATE TABLE document_turns ();
    `,
  },
  {
    version: 2,
    // So that whoever has read a document, or looked for a key, learns that it has changed.
    sql: tellsOf('documents', 'd', ['of', 'id']) + tellsOf('document_keys', 'k', ['of', 'index', 'key']),
  },
]
