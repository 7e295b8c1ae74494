/** The migrations for the tables of documents in PostgreSQL. See docs/design/scale-out.md. */
import { type Step, changeTriggers } from '../../postgres/index.js'

/** The name under which `migrate` counts the steps. */
export const ROOM = 'documents'

export const steps: readonly Step[] = [
  {
    version: 1,
    // Bodies are `json`, not `jsonb`: that preserves every byte of the text, including the order of members, and allows
    // \u0000 and lone surrogates.
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
    // Notifies processes that have read a document, or searched for a key, of changes.
    sql: changeTriggers('documents', 'd', ['of', 'id']) + changeTriggers('document_keys', 'k', ['of', 'index', 'key']),
  },
  {
    version: 3,
    // Avoids counting a list whenever a page of it is read. Writers of one list do not block each other, because each
    // adds a row.
    sql: `
      LOCK TABLE document_places IN SHARE ROW EXCLUSIVE MODE;
      CREATE TABLE document_list_lengths (
        of text COLLATE "C" NOT NULL, list text COLLATE "C" NOT NULL, grp text COLLATE "C" NOT NULL, change bigint NOT NULL
      );
      CREATE INDEX document_list_lengths_by_list ON document_list_lengths (of, list, grp) INCLUDE (change);
      INSERT INTO document_list_lengths SELECT of, list, grp, count(*) FROM document_places GROUP BY of, list, grp;
      CREATE FUNCTION tell_length() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP <> 'INSERT' THEN INSERT INTO document_list_lengths VALUES (OLD.of, OLD.list, OLD.grp, -1); END IF;
        IF TG_OP <> 'DELETE' THEN INSERT INTO document_list_lengths VALUES (NEW.of, NEW.list, NEW.grp, 1); END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER tell_length AFTER INSERT OR UPDATE OR DELETE ON document_places FOR EACH ROW EXECUTE FUNCTION tell_length();
    `,
  },
]
