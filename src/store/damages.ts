/** The damaged files of an open store, and the reads and writes that they make impossible. */
import type { StoreDamaged } from './errors.js'
import { fileNameOf } from './file-name.js'
import type { AnyTable } from './view.js'

/** The damage of one table or journal. */
interface TableDamage {
  readonly error: StoreDamaged
  /** Names of the damaged checkpoint files, without `.json`. */
  readonly files: Set<string>
  /** Whether it is unknown which checkpoint files are missing. */
  whole: boolean
}

/** The damaged files, by table or journal. Reads that may lack a document of such a file throw `StoreDamaged`. */
export class Damages {
  readonly #byTable = new Map<string, TableDamage>()
  /** Damage that concerns no documents, but records of a journal, which are checked when they are read. */
  readonly #records: StoreDamaged[] = []

  /** @param file name of a checkpoint file without `.json`; null = the damage may concern any file of the table */
  add(table: string, file: string | null, error: StoreDamaged): void {
    const known = this.#byTable.get(table) ?? { error, files: new Set(), whole: false }
    if (file === null) known.whole = true
    else known.files.add(file)
    this.#byTable.set(table, known)
  }

  addRecords(error: StoreDamaged): void {
    this.#records.push(error)
  }

  get all(): StoreDamaged[] {
    return [...[...this.#byTable.values()].map(({ error }) => error), ...this.#records]
  }

  /** The first damage that concerns documents or groups of a journal, or null. */
  get first(): StoreDamaged | null {
    return [...this.#byTable.values()][0]?.error ?? null
  }

  /** Throws if the checkpoint file of an owner is damaged. */
  checkOwner(table: string, owner: string): void {
    const damage = this.#byTable.get(table)
    if (damage && (damage.whole || damage.files.has(fileNameOf(owner)))) throw damage.error
  }

  /** Throws if a document that was not found may be in a damaged file. */
  checkAbsent(table: string): void {
    const damage = this.#byTable.get(table)
    if (damage) throw damage.error
  }

  /** Throws if documents with this key of an index may be in a damaged file. */
  checkKey(of: AnyTable, index: string, key: string, found: number): void {
    if (!this.#byTable.has(of.name)) return
    if (of.owner === index) this.checkOwner(of.name, key)
    else if (found === 0 || !of.unique?.some((one: string) => one === index)) this.checkAbsent(of.name)
  }

  /** Throws if a document must not be added: it may exist in a damaged file, or one of its unique keys may. */
  checkInsert(of: AnyTable, owner: string): void {
    if (!this.#byTable.has(of.name)) return
    if ((of.unique ?? []).length > 0) this.checkAbsent(of.name)
    this.checkOwner(of.name, owner)
  }
}
