/** The targets of links and blocks, and how a text names them. */
import type { Schemas } from '../api/client.js'

/** The targets of links and blocks. The lists are loaded on first use. */
export interface Targets {
  /** Path of the edited page's file. */
  path: string
  pages(): Promise<readonly Schemas['Page'][]>
  files(): Promise<readonly Schemas['File'][]>
  revision(): Promise<Schemas['Revision']>
  /** The headings of a page. */
  headings(page: Schemas['Page'] | null): Promise<readonly { id: string; text: string }[]>
}

/** Returns the relative path from the file of a page to another file. */
export function relativePath(from: string, to: string): string {
  const [folders, parts] = [from.split('/').slice(0, -1), to.split('/')]
  let same = 0
  while (same < folders.length && same < parts.length - 1 && folders[same] === parts[same]) same++
  return [...folders.slice(same).map(() => '..'), ...parts.slice(same)].join('/')
}

/** Writes a path as the target of a link. */
export const asTarget = (path: string): string => (/[ ()<>]/.test(path) ? `<${path}>` : path)
