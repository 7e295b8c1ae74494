/** The redirects of a site: old addresses and their targets. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import { ChoiceField, FormError, Segments, Submit, TextField, useForm } from '../admin/form.js'
import { AddButton, Listing, usePages } from '../admin/lists.js'
import { type Site, SiteFrame, sitePath } from '../admin/site.js'
import { adminWords } from '../admin/words.js'
import { Dialog } from '../shell/dialog.js'
import { Chip } from '../shell/notes.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'

type Redirect = Schemas['SiteRedirect']
type Destination = Schemas['SiteDestination']

export function SiteRedirects({ site = '' }: { site?: string }) {
  const w = adminWords().redirects
  const [edited, setEdited] = useState<Redirect | 'new' | null>(null)
  return (
    <SiteFrame
      id={site}
      part="redirects"
      end={(one) => one.permissions.edit && <AddButton text={w.add} onClick={() => setEdited('new')} />}
    >
      {(one) => (
        <div class="wide stack">
          <h1 class="title">{adminWords().site.parts.redirects}</h1>
          <p class="ink2">{w.lead}</p>
          <List site={one} onEdit={setEdited} />
          {edited !== null && (
            <RedirectForm
              site={one}
              {...(edited === 'new' ? {} : { redirect: edited })}
              onClose={() => setEdited(null)}
            />
          )}
        </div>
      )}
    </SiteFrame>
  )
}

function useDestinations(site: Site) {
  return useData(
    `sites/${site.id}/site-spaces`,
    async () =>
      (
        await body(
          api.GET('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
            params: { path: sitePath(site), query: { limit: 1000 } },
          }),
        )
      ).items,
  ).value
}

function List({ site, onEdit }: { site: Site; onEdit: (redirect: Redirect) => void }) {
  const w = adminWords().redirects
  const path = sitePath(site)
  const key = `sites/${site.id}/redirects`
  const spaces = new Map((useDestinations(site) ?? []).map(({ space }) => [space.id, space.title]))
  const list = usePages<Redirect>(key, (query) =>
    body(api.GET('/v1/orgs/{organizationId}/sites/{siteId}/redirects', { params: { path, query } })),
  )
  const remove = (redirect: Redirect) =>
    attempt(async () => {
      const params = { path: { ...path, redirectId: redirect.id } }
      await body(api.DELETE('/v1/orgs/{organizationId}/sites/{siteId}/redirects/{redirectId}', { params }))
      await reload(key)
      toast(fill(w.removed, { source: redirect.source }), {
        undo: async () => {
          const { source, destination } = redirect
          await body(
            api.POST('/v1/orgs/{organizationId}/sites/{siteId}/redirects', {
              params: { path },
              body: { source, destination },
            }),
          )
          await reload(key)
        },
      })
    })
  const describe = (to: Destination): string => {
    if (to.kind === 'url') return to.url
    if (to.kind === 'page' || to.kind === 'anchor') return fill(w.pageOf, { space: spaces.get(to.space) ?? to.space })
    if (to.kind === 'space') return spaces.get(to.space) ?? to.space
    return w.part
  }
  return (
    <Listing
      of={list}
      icon="arrow"
      noneTitle={w.noneTitle}
      none={w.none}
      columns={[{ name: w.from }, { name: w.to }, { name: w.state }, { name: w.actions, isHidden: true }]}
    >
      {(redirect) => (
        <tr key={redirect.id}>
          <td>
            <code>{redirect.source}</code>
          </td>
          <td>{describe(redirect.destination)}</td>
          <td>
            {redirect.status === 'ok' ? (
              <Chip tone="good" icon="check">
                {w.ok}
              </Chip>
            ) : (
              <Chip tone="bad" icon="broken">
                {w.broken}
              </Chip>
            )}
          </td>
          <td class="num nw">
            {site.permissions.edit && (
              <>
                <button type="button" class="btn small" onClick={() => onEdit(redirect)}>
                  {adminWords().lists.edit}
                </button>{' '}
                <button type="button" class="btn small quiet" onClick={() => remove(redirect)}>
                  {adminWords().lists.remove}
                </button>
              </>
            )}
          </td>
        </tr>
      )}
    </Listing>
  )
}

/** The pages of a space as choices, with their depth. */
function choices(pages: readonly Schemas['Page'][], depth = 0): (readonly [string, string])[] {
  return pages.flatMap((page) => [
    ...(page.type === 'document' || page.type === 'computed'
      ? [[page.id, `${'– '.repeat(depth)}${page.title}`] as const]
      : []),
    ...choices(page.pages, depth + 1),
  ])
}

function RedirectForm({ site, redirect, onClose }: { site: Site; redirect?: Redirect; onClose: () => void }) {
  const w = adminWords().redirects
  const given = redirect?.destination
  const [source, setSource] = useState(redirect?.source ?? '/')
  const [kind, setKind] = useState<'page' | 'url'>(given && given.kind !== 'page' ? 'url' : 'page')
  const [url, setUrl] = useState(given?.kind === 'url' ? given.url : '')
  const [space, setSpace] = useState(given?.kind === 'page' ? given.space : '')
  const [page, setPage] = useState(given?.kind === 'page' ? given.page : '')
  const siteSpaces = useDestinations(site) ?? []
  const pages = useData(
    space === '' ? null : `space/${space}/main/pages`,
    async () =>
      (
        await body(
          api.GET('/v1/spaces/{spaceId}/content/pages', {
            params: { path: { spaceId: space }, query: { metadata: false } },
          }),
        )
      ).pages,
  ).value
  const form = useForm(async () => {
    const path = sitePath(site)
    const destination: Destination = kind === 'url' ? { kind, url } : { kind, space, page }
    const input = { source, destination }
    await body(
      redirect
        ? api.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/redirects/{redirectId}', {
            params: { path: { ...path, redirectId: redirect.id } },
            body: input,
          })
        : api.POST('/v1/orgs/{organizationId}/sites/{siteId}/redirects', { params: { path }, body: input }),
    )
    await reload(`sites/${site.id}/redirects`)
    onClose()
  })
  return (
    <Dialog title={redirect ? w.edit : w.add} onClose={onClose}>
      <div>
        <form class="stack" onSubmit={form.submit}>
          <TextField
            label={w.from}
            help={w.fromHelp}
            error={form.error('source')}
            value={source}
            onInput={setSource}
            mono
            required
          />
          <Segments
            label={w.to}
            value={kind}
            of={[
              ['page', w.toPage],
              ['url', w.toUrl],
            ]}
            onChange={setKind}
          />
          {kind === 'url' ? (
            <TextField
              label={w.url}
              error={form.error('destination')}
              value={url}
              onInput={setUrl}
              type="url"
              mono
              required
            />
          ) : (
            <>
              <ChoiceField
                label={w.space}
                error={form.error('destination/space')}
                value={space}
                of={[['', w.chooseSpace], ...siteSpaces.map((one) => [one.space.id, one.space.title] as const)]}
                onChange={(id) => {
                  setSpace(id)
                  setPage('')
                }}
              />
              <ChoiceField
                label={w.page}
                error={form.error('destination')}
                value={page}
                of={[['', w.choosePage], ...choices(pages ?? [])]}
                onChange={setPage}
              />
            </>
          )}
          <FormError form={form} />
          <div class="row">
            <Submit form={form}>{adminWords().site.save}</Submit>
          </div>
        </form>
      </div>
    </Dialog>
  )
}
