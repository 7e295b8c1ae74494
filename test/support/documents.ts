/** The documents of the project, and the commands in them. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const FOLDERS = ['.', 'docs', 'docs/design', 'test']

/** The paths of all documents except the changelog. */
export async function listDocuments(): Promise<string[]> {
  const names = await Promise.all(
    FOLDERS.map(async (folder) => (await readdir(folder)).map((name) => join(folder, name))),
  )
  return names.flat().filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md')
}

/** The fenced blocks of a text, with the word after the fence. */
export const blocksIn = (text: string): { language: string; content: string }[] =>
  [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)].map(([, language = '', content = '']) => ({ language, content }))

/** The blocks of shell commands in a document. */
export const commandBlocks = async (document: string): Promise<string[]> =>
  blocksIn(await readFile(document, 'utf8'))
    .filter(({ language }) => language === 'bash')
    .map(({ content }) => content)
