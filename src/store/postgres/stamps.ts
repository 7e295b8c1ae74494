/** Stamps of documents and keys in PostgreSQL, based on the news. */
import type { News } from '../../postgres/index.js'
import type { Stamps } from '../recorded-store.js'
import type { AnyTable } from '../view.js'
import { keyText } from './encoding.js'

/** Returns the stamps of a table. They are as current as the last query for news. */
export function stampsOf(news: News): (of: AnyTable) => Stamps {
  // bound: the tables of the service
  const known = new WeakMap<AnyTable, Stamps>()
  return (of) => {
    const stamps = known.get(of) ?? tableStamps(news, of.name)
    known.set(of, stamps)
    return stamps
  }
}

const tableStamps = (news: News, table: string): Stamps => ({
  get version() {
    return news.version
  },
  stamp: (id) => news.stamp(`d ${table} ${keyText(id)}`),
  keyStamp: (index, key) => news.stamp(`k ${table} ${index} ${keyText(key)}`),
  keysFollowDocuments: false,
})
