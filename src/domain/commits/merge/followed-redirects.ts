/** Updates redirects of the merged configuration if one side wrote a redirect while the other side moved its page. */
import { required } from '../../../kernel/defined.js'
import { readConfig, redirectKey } from '../../../content/config.js'
import { renamedTarget } from '../../../content/edit/rewrite-references.js'
import { CONFIG_FILE } from '../../../content/known-files.js'
import { normalizePath } from '../../../content/paths.js'
import { MAX_STRUCTURE_BYTES } from '../../../content/read-file.js'
import { decodeText, encodeText, encodingOf } from '../../../content/text.js'
import { unlessTooCostly } from '../../../content/work/text-work.js'
import type { FileChange } from '../../../git/index.js'
import type { TreeId } from '../../../kernel/ids.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { type Following, movedPages } from './followed-entries.js'
import type { OpenSides } from './side.js'
import { isRecord } from '../../../kernel/guards.js'

/** Maximum number of redirects that are updated. */
const MAX_REDIRECTS = 500

/**
 * Returns the change to the merged configuration that points redirects to moved pages; an empty list if all redirects
 * point to existing pages.
 */
export async function followedRedirects(
  app: App,
  space: SpaceRepository,
  heads: OpenSides,
  merged: TreeId,
  { moves }: Pick<Following, 'moves'>,
): Promise<FileChange[]> {
  const tree = space.repo.objects.tree(merged)
  const entry = await tree.entry(CONFIG_FILE)
  if (!entry?.mode.startsWith('100') || ((await tree.sizes([entry.oid]))[0] ?? 0) > MAX_STRUCTURE_BYTES) return []
  const moved = new Map([...moves, ...(await movedPages(app, space, heads, tree, () => CONFIG_FILE))])
  if (moved.size === 0) return []
  const [bytes, work] = [await tree.read(entry.oid), app.texts.for(space.doc.id)]
  const text = decodeText(bytes)
  const yaml = await unlessTooCostly(work.yaml(text), null)
  const written = yaml?.ok ? yaml.entries?.find(({ key }) => key === 'redirects')?.value : undefined
  if (!isRecord(written)) return []
  const { root, redirects } = (await readConfig(tree, work)).config
  const targets: Record<string, string> = {}
  for (const [from, value] of Object.entries(written)) {
    if (
      typeof value !== 'string' ||
      Object.hasOwn(redirects, redirectKey(from)) ||
      Object.keys(targets).length === MAX_REDIRECTS
    )
      continue
    const target = value.trim()
    // A redirect that was written before the root moved is relative to the old root.
    const old = [root, heads.base.config.root]
      .flatMap((top) => filesOf(normalizePath(target.replace(/#.*$/s, ''), top)))
      .find((one) => moved.has(one))
    if (old === undefined) continue
    targets[from] = renamedTarget(target, old, {
      from: root === '' ? CONFIG_FILE : `${root}/${CONFIG_FILE}`,
      to: required(moved.get(old)),
      root,
    })
  }
  if (Object.keys(targets).length === 0) return []
  const edited = await unlessTooCostly(work.setYaml(text, targets, ['redirects']), null)
  return edited && 'done' in edited
    ? [{ path: CONFIG_FILE, content: encodeText(edited.done, encodingOf(bytes)), mode: entry.mode }]
    : []
}

/** Returns the files to which a target may refer. */
const filesOf = (path: string | null): string[] =>
  path === null ? [] : [path, `${path}.md`, path === '' ? 'README.md' : `${path}/README.md`]
