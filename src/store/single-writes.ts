/** Single-document writes, each in its own transaction. All stores share this code. */
import type { Document, Draft, Table, Transaction } from './types.js'

export abstract class SingleWrites {
  abstract transact<R>(work: (tx: Transaction) => Promise<R>): Promise<R>

  insert<T extends object>(of: Table<T, string>, draft: Draft<T>): Promise<Document<T>> {
    return this.transact((tx) => tx.insert(of, draft))
  }

  replace<T extends object>(of: Table<T, string>, document: Document<T>): Promise<Document<T>> {
    return this.transact((tx) => tx.replace(of, document))
  }

  remove<T extends object>(of: Table<T, string>, id: string): Promise<boolean> {
    return this.transact((tx) => tx.remove(of, id))
  }
}
