/** The frame of the site screens: breadcrumbs, publication state and navigation. */
import type { ComponentChildren } from 'preact'
import { api, ApiError, body, type Schemas } from '../api/client.js'
import { type Loaded, reload, useData } from '../api/data.js'
import { Frame, Ribbon, Waiting } from '../shell/frame.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Chip, Nothing } from '../shell/notes.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'
import { type AdminWords, adminWords } from './words.js'

/** A site with the organization that it belongs to. */
export type Site = Schemas['Site'] & { organization: string }

/** The path of a site in requests. */
export const sitePath = ({ id, organization }: Site) => ({ organizationId: organization, siteId: id })

async function findSite(siteId: string): Promise<Site> {
  const { items } = await body(api.GET('/v1/orgs', {}))
  for (const { id } of items) {
    const params = { path: { organizationId: id, siteId } }
    const { data, response } = await api.GET('/v1/orgs/{organizationId}/sites/{siteId}', { params })
    if (data) return { ...data, organization: id }
    if (response.status >= 500) throw new ApiError(response.status, '')
  }
  throw new ApiError(404, '')
}

/** Reads a site. Its address does not contain its organization, so all organizations of the caller are queried. */
export const useSite = (id: string): Loaded<Site> => useData(`sites/${id}`, () => findSite(id))

/** Reloads the shown data of a site. */
export const reloadSite = ({ id, organization }: Site) =>
  Promise.all([reload(`sites/${id}`), reload(`orgs/${organization}/sites`)])

/** Changes the settings of a site. */
export async function changeSite(site: Site, changes: Partial<Schemas['UpdateSite']>): Promise<void> {
  const params = { path: sitePath(site) }
  await body(api.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', { params, body: changes }))
  await reloadSite(site)
}

/** Publishes or unpublishes a site. The message offers to undo it. */
export async function setPublished(site: Site, isPublished: boolean): Promise<void> {
  const w = adminWords().site
  const send = async (published: boolean) => {
    const params = { path: sitePath(site) }
    await body(
      published
        ? api.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', { params })
        : api.POST('/v1/orgs/{organizationId}/sites/{siteId}/unpublish', { params }),
    )
    await reloadSite(site)
  }
  const done = await attempt(() => send(isPublished))
  if (done) toast(isPublished ? w.publishedNow : w.unpublishedNow, { undo: () => send(!isPublished) })
}

type Part = keyof AdminWords['site']['parts']
const PARTS: readonly (readonly [Part, IconName])[] = [
  ['structure', 'list'],
  ['customize', 'sun'],
  ['settings', 'eye'],
  ['visitors', 'key'],
  ['members', 'users'],
  ['redirects', 'arrow'],
  ['suggestions', 'edit'],
  ['health', 'check'],
]

/** Whether a screen is in the navigation for the user. */
const isShown = (part: Part, { permissions }: Site): boolean =>
  part === 'members'
    ? permissions.admin
    : part === 'suggestions'
      ? permissions.review
      : part !== 'health' || permissions.edit

/** Renders a screen of a site. */
export function SiteFrame({
  id,
  part,
  end,
  rail,
  railLabel,
  main,
  children,
}: {
  id: string
  part: Part
  end?: (site: Site) => ComponentChildren
  rail?: ComponentChildren
  railLabel?: string
  main?: string
  children: (site: Site) => ComponentChildren
}) {
  const w = adminWords().site
  const found = useSite(id)
  const site = found.value
  const organization = useData(site ? `organization/${site.organization}` : null, () =>
    body(api.GET('/v1/orgs/{organizationId}', { params: { path: { organizationId: site?.organization ?? '' } } })),
  ).value
  if (!site) return <Waiting title={w.title} data={[found]} />
  return (
    <Frame
      title={fill(w.screen, { part: w.parts[part], site: site.title })}
      crumbs={[
        // Until it is loaded, a link would have no name.
        ...(organization ? [{ title: organization.title, href: `/o/${site.organization}` }] : []),
        { title: adminWords().organization.parts.sites, href: `/o/${site.organization}/settings/sites` },
        { title: site.title, href: `/sites/${site.id}/structure` },
      ]}
      ribbon={
        <Ribbon
          head={
            <>
              <span class="emoji" aria-hidden="true">
                <Icon name="globe" />
              </span>
              <span class="r-title">{site.title}</span>
              {site.published ? (
                <Chip tone="good" icon="check">
                  {adminWords().sites.published}
                </Chip>
              ) : (
                <Chip tone="wait" icon="edit">
                  {adminWords().sites.notPublished}
                </Chip>
              )}
              {site.urls.published !== undefined && (
                <a class="sm hide-m" href={site.urls.published} target="_blank" rel="noopener">
                  {site.urls.published.replace(/^https?:\/\//, '')}
                </a>
              )}
            </>
          }
          end={
            <>
              <a class="btn" href={site.urls.preview} target="_blank" rel="noopener">
                <Icon name="eye" />
                {w.asVisitor}
              </a>
              {end?.(site)}
            </>
          }
        />
      }
      hasDock
      side={
        <nav class="tree" aria-label={w.title}>
          <ul class="t">
            {PARTS.filter(([one]) => isShown(one, site)).map(([one, icon]) => (
              <li key={one}>
                <a href={`/sites/${site.id}/${one}`} aria-current={one === part ? 'page' : undefined}>
                  <Icon name={icon} />
                  <span class="grow">{w.parts[one]}</span>
                  {one === 'suggestions' && site.waitingSuggestions !== undefined && (
                    <span class="count hot">{site.waitingSuggestions}</span>
                  )}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      }
      {...(rail === undefined ? {} : { rail })}
      {...(railLabel === undefined ? {} : { railLabel })}
      {...(main === undefined ? {} : { main })}
    >
      {site.permissions.view ? children(site) : <Nothing />}
    </Frame>
  )
}

/** The button that publishes or unpublishes a site. */
export const PublishButton = ({ site }: { site: Site }) =>
  site.permissions.admin && (
    <button
      type="button"
      class={site.published ? 'btn' : 'btn primary'}
      onClick={() => setPublished(site, !site.published)}
    >
      {site.published ? adminWords().site.unpublish : adminWords().site.publish}
    </button>
  )
