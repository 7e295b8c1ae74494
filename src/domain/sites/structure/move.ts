/** Moves a section, group, external link or site space within its list or into another group. */
import { badRequest, notFound } from '../../../kernel/errors.js'
import { type GroupChild, itemsOf, type SiteItemType, type SiteStructure } from '../../../model/index.js'
import { getSiteSpace } from './find.js'
import { listOfGroup, replaceContainer, replaceList, requireGroup, withoutItem } from './lists.js'
import { checkLevels } from './add-groups.js'
import { moveAmong, type ItemPointer, type SiblingPosition } from './position.js'

const typeOf = (item: GroupChild): SiteItemType => item.type

const refuse = (message: string): never => {
  throw badRequest('The item cannot be moved there.', [{ path: '/into', message }])
}

const nameOf = {
  'site-section': 'The site section',
  'site-section-group': 'The site section group',
  'site-external-link': 'The external link',
}

/**
 * Moves an item: a site space in its section or at the root, others within their list or, with `into`, to a group or
 * the top level (null). Throws 404 if there is no such item, 400 (`into`), 409 (too many levels), and the errors of
 * `moveAmong`.
 */
export function moveItem(
  structure: SiteStructure,
  { type, id }: ItemPointer,
  position: SiblingPosition,
  into?: string | null,
): SiteStructure {
  if (type === 'site-space') {
    if (into !== undefined) refuse('must be omitted, since a site space stays in its section')
    const { siteSpace, section } = getSiteSpace(structure, id)
    const { siteSpaces, defaultSiteSpace } = section ?? structure
    return replaceContainer(structure, section, {
      siteSpaces: moveAmong(siteSpaces, siteSpace, position, () => 'site-space'),
      defaultSiteSpace,
    })
  }
  const found = itemsOf(structure).find(({ item }) => item.id === id && item.type === type)
  if (!found) throw notFound(nameOf[type])
  const { item, group } = found
  const from = group?.id ?? null
  const to = into === undefined ? from : into
  if (to !== from) checkTarget(structure, item, to)
  const left = to === from ? structure : withoutItem(structure, id)
  return replaceList(left, to, moveAmong<GroupChild>(listOfGroup(left, to), item, position, typeOf))
}

/** Throws 400 if an item cannot be in a group (null = the top level), 409 if it would be too deep there. */
function checkTarget(structure: SiteStructure, item: GroupChild, to: string | null): void {
  if (to === null) {
    if (item.type === 'site-external-link') refuse('must be a group, since external links are allowed only in groups')
    return
  }
  requireGroup(structure, to, '/into')
  if (item.type !== 'site-section-group') return
  const isBelow = (children: readonly GroupChild[]): boolean =>
    children.some((child) => child.id === to || (child.type === 'site-section-group' && isBelow(child.children)))
  if (item.id === to || isBelow(item.children)) refuse('must not be the group itself or a group in it')
  checkLevels(structure, item, to)
}
