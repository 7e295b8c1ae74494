/** Finds the connection of a space to a remote, whose credential runs may use. */
import { type ConnectionDoc, connections, type SpaceDoc } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import { isLinkTo } from './remote.js'

/** The connection of a space to the remote with this key; null if there is none. */
export async function connectionTo(
  reader: Pick<Reader, 'find'>,
  space: string,
  key: string,
): Promise<Document<ConnectionDoc> | null> {
  return (await reader.find(connections, 'space', space)).find((one) => one.key === key) ?? null
}

/** The connection to the remote that the space shows as its own; null if there is none. */
export async function connectionOfLink(
  reader: Pick<Reader, 'find'>,
  { id, git }: Pick<SpaceDoc, 'id' | 'git'>,
): Promise<Document<ConnectionDoc> | null> {
  return (await reader.find(connections, 'space', id)).find((one) => isLinkTo(git, one.key)) ?? null
}
