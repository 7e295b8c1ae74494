/** Operations on uploaded files, variables and reusable content. */
import type { ChangeOf } from '../../../model/content-changes.js'
import { folderOf, isBelow, keyBelow, nameOf } from '../../paths.js'
import { fileSlug } from '../../slug.js'
import { findFrontMatter } from '../../front-matter.js'
import { ASSETS_FOLDER, CONFIG_FILE, CONFIG_FILES, INCLUDES_FOLDER, VARIABLES_FILE } from '../../known-files.js'
import { encodeText } from '../../text.js'
import { defaultId, idOf } from '../../identity.js'
import { decodeBase64 } from '../base64.js'
import { ChangeError } from '../change-error.js'
import type { Batch, Operation } from '../batch.js'
import { isSameName } from '../folded-names.js'
import { bounded, documentOf, done, editFile, markdownOf } from './page-text.js'
import { inFolder } from './table-of-contents.js'
import { moveFiles } from './move-file.js'
import { defined } from '../../../kernel/defined.js'

/** Rejects a file name that contains slashes or control characters, that Git reserves, or that is too long. */
function checkName(name: string, member: string): void {
  if (/[/\\\x00-\x1f\x7f]/.test(name) || name === '.' || name === '..')
    throw new ChangeError(
      'A file name cannot be "." or "..", and cannot contain slashes or control characters. Choose another name.',
      member,
    )
  if (/^\.git/i.test(name)) throw new ChangeError('A file name cannot start with ".git". Choose another name.', member)
  if (Buffer.byteLength(name) > 200)
    throw new ChangeError('A file name can have at most 200 bytes. Choose a shorter one.', member)
}

/** Adds uploaded files to `.gitbook/assets`. If a name is taken, a number is added to it. */
export const insertFiles: Operation<ChangeOf<'insert_files'>> = async (batch, change) => {
  const { config } = await batch.workspace.structure()
  for (const [index, file] of change.files.entries()) {
    const member = `files/${index}`
    const given = [file.base64, file.url, file.part].filter((one) => one !== undefined)
    if (given.length !== 1)
      throw new ChangeError('A file needs exactly one of base64, url and part. Set one of them.', member)
    const fetched = batch.fetched.get(file)
    if (file.part !== undefined && !fetched)
      throw new ChangeError(
        `The request has no part ${file.part} with a file. Add it, or correct the name.`,
        `${member}/part`,
      )
    const name = fetched?.name ?? file.name
    checkName(name, `${member}/name`)
    const content = fetched?.content ?? decodeBase64(file.base64 ?? '')
    if (content === null)
      throw new ChangeError('base64 is not valid Base64. Encode the file again.', `${member}/base64`)
    const folder = inFolder(config.root, ASSETS_FOLDER.slice(0, -1))
    const dot = name.lastIndexOf('.')
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
    let path = inFolder(folder, name)
    await batch.work.pause()
    for (let n = 1; await batch.workspace.isTaken(path); n++) path = inFolder(folder, `${stem} (${n})${extension}`)
    await batch.workspace.add(path, content)
    if (file.ref !== undefined && batch.fileRefs.has(file.ref))
      throw new ChangeError(`The ref ${file.ref} is used twice. Give each change its own ref.`, `${member}/ref`)
    if (file.ref !== undefined) batch.fileRefs.set(file.ref, path)
    batch.insertedFiles.push({ path, name: nameOf(path), ...defined({ ref: file.ref }) })
  }
  return null
}

/** Returns the path of a file that is given by its ID or path. */
async function pathOf(batch: Batch, file: string): Promise<string> {
  const { config } = await batch.workspace.structure()
  const paths = await batch.workspace.paths()
  if (paths.has(file)) return file
  const identify = idOf(batch.workspace.overrides)
  const found = [...paths].find((path) => identify('file', keyBelow(config.root, path)) === file)
  if (found === undefined) throw new ChangeError(`There is no file ${file}.`, 'file')
  return found
}

/**
 * Rejects pages, reusable content and the configuration, which file operations must not change. Without an entry in the
 * table of contents, a markdown file is an ordinary file.
 */
async function rejectSpecialFile({ workspace }: Batch, path: string): Promise<void> {
  const { config, byGitPath, reusableContents } = await workspace.structure()
  const isText = path === config.summary || byGitPath.has(path) || reusableContents.some((one) => one.gitPath === path)
  if (isText || nameOf(path) === CONFIG_FILE || CONFIG_FILES.has(path))
    throw new ChangeError(`${path} is not an uploaded file: use the operations for pages.`, 'file')
}

/** Renames a file and updates the links to it. */
export const renameFile: Operation<ChangeOf<'rename_file'>> = async (batch, change) => {
  const path = await pathOf(batch, change.file)
  await rejectSpecialFile(batch, path)
  checkName(change.name, 'name')
  const to = inFolder(folderOf(path), change.name)
  const there = isSameName(to, path) ? null : await batch.workspace.taken(to)
  if (CONFIG_FILES.has(to))
    throw new ChangeError(
      `${to} is a configuration file of this repository, so no other file can be renamed to it. Choose another name.`,
      'name',
    )
  if (there !== null)
    throw new ChangeError(`${path} cannot be renamed to ${to}, because ${there} exists. Choose another name.`, 'name')
  if (to !== path) await moveFiles(batch, new Map([[path, to]]))
  return null
}

/** Renames a folder with everything in it, and updates the links to its files. */
export const renameFolder: Operation<ChangeOf<'rename_folder'>> = async (batch, { folder, name }) => {
  const { config } = await batch.workspace.structure()
  const inside = [...(await batch.workspace.paths())].filter((path) => isBelow(folder, path))
  if (inside.length === 0)
    throw new ChangeError(`There is no folder ${folder}. Give its path from the root of the repository.`, 'folder')
  const named = [config.root, config.summary, config.readme].find((path) => path === folder || isBelow(folder, path))
  if (named !== undefined || isBelow(inFolder(config.root, '.gitbook'), `${folder}/`))
    throw new ChangeError(
      `${folder} cannot be renamed, because the space needs ${named ?? 'this folder'} at its place. Rename it with Git, together with the configuration.`,
      'folder',
    )
  checkName(name, 'name')
  const to = inFolder(folderOf(folder), name)
  const there = isSameName(to, folder) ? null : await batch.workspace.taken(to)
  if (there !== null)
    throw new ChangeError(`${folder} cannot be renamed to ${to}, because ${there} exists. Choose another name.`, 'name')
  if (to !== folder) await moveFiles(batch, new Map(inside.map((path) => [path, to + path.slice(folder.length)])))
  return null
}

export const deleteFile: Operation<ChangeOf<'delete_file'>> = async (batch, change) => {
  const path = await pathOf(batch, change.file)
  await rejectSpecialFile(batch, path)
  await batch.workspace.remove(path)
  batch.insertedFiles = batch.insertedFiles.filter((one) => one.path !== path)
  for (const [ref, there] of batch.fileRefs) if (there === path) batch.fileRefs.delete(ref)
  return null
}

/** Sets variables in `.gitbook/vars.yaml`; null removes one. */
export const updateVariables: Operation<ChangeOf<'update_variables'>> = async (batch, change) => {
  const { config } = await batch.workspace.structure()
  const path = inFolder(config.root, VARIABLES_FILE)
  const before = (await batch.workspace.text(path)) ?? ''
  const text = done(
    await bounded(batch.work.setYaml(before, change.variables), path, 'variables'),
    `${path} cannot be edited`,
    'variables',
  )
  if (text !== before) await batch.workspace.setText(path, text)
  return null
}

/** Adds reusable content to `.gitbook/includes`, or changes it. */
export const upsertReusableContent: Operation<ChangeOf<'upsert_reusable_content'>> = async (batch, change) => {
  const { config, reusableContents } = await batch.workspace.structure()
  const existing =
    change.reusableContent === undefined ? undefined : reusableContents.find((one) => one.id === change.reusableContent)
  if (change.reusableContent !== undefined && !existing)
    throw new ChangeError(`There is no reusable content ${change.reusableContent}.`, 'reusableContent')
  if (existing) {
    const set = change.title === undefined ? undefined : { title: change.title }
    await editFile(batch, existing.gitPath, { document: await documentOf(batch, change.document), ...(set && { set }) })
    return { object: 'updated_reusable_content', page: existing.id }
  }
  const given = await markdownOf(batch, change.document)
  const head = given.slice(0, findFrontMatter(given)?.bodyStart ?? 0)
  const title =
    change.title ??
    (await bounded(batch.work.page(head, ''), 'The front matter', 'document')).attributes.title ??
    'Untitled'
  const folder = inFolder(config.root, INCLUDES_FOLDER.slice(0, -1))
  const slug = fileSlug(title) || 'content'
  let path = inFolder(folder, `${slug}.md`)
  for (let n = 1; await batch.workspace.isTaken(path); n++) path = inFolder(folder, `${slug}-${n}.md`)
  await batch.workspace.add(path, encodeText(await titled(batch, given, title)))
  batch.written.add(path)
  const key = keyBelow(config.root, path)
  return {
    object: 'created_reusable_content',
    page: batch.workspace.overrides.get(`reusable-content\0${key}`) ?? defaultId('reusable-content', key),
    ...defined({ ref: change.ref }),
  }
}

/** Sets the title in a text's front matter. */
const titled = async ({ work }: Batch, text: string, title: string): Promise<string> =>
  done(
    await bounded(work.setMembers(text, { title }), 'The front matter', 'document'),
    'The front matter cannot be edited',
    'title',
  )

export const deleteReusableContent: Operation<ChangeOf<'delete_reusable_content'>> = async (batch, change) => {
  const { reusableContents } = await batch.workspace.structure()
  const existing = reusableContents.find((one) => one.id === change.reusableContent)
  if (!existing) throw new ChangeError(`There is no reusable content ${change.reusableContent}.`, 'reusableContent')
  await batch.workspace.remove(existing.gitPath)
  return { object: 'deleted_reusable_content', page: existing.id }
}
