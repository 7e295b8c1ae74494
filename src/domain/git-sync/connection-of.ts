/** Finds the connection of a space to a remote, whose credential runs may use. */
import { type ConnectionDoc, connections, type SpaceDoc } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import { isLinkTo } from './remote.js'

/** Returns the connection of a space to the remote with this key, or null. */
export async function connectionTo(
  reader: Pick<Reader, 'find'>,
  space: string,
  key: string,
): Promise<Document<ConnectionDoc> | null> {
  return (await reader.find(connections, 'space', space)).find((one) => one.key === key) ?? null
}

/** Returns the connection to the space's linked remote, or null. */
export async function connectionOfLink(
  reader: Pick<Reader, 'find'>,
  { id, git }: Pick<SpaceDoc, 'id' | 'git'>,
): Promise<Document<ConnectionDoc> | null> {
  return (await reader.find(connections, 'space', id)).find((one) => isLinkTo(git, one.key)) ?? null
}
