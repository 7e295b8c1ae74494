/** The settings of a part of a site: title, path, visibility and removal. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { setQuery } from '../route.js'
import { Switch } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'
import { FormError, Submit, TextField, useForm } from './form.js'
import { useQuestion } from './question.js'
import { reloadSite, type Site, sitePath } from './site.js'
import { type Row, titleOf } from './structure.js'
import { adminWords } from './words.js'

/** The fields that a part may have. */
type Changes = { title?: string; path?: string; target?: string; condition?: string | null; draft?: boolean }

const SECTION = '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}'
const GROUP = '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}'
const LINK = '/v1/orgs/{organizationId}/sites/{siteId}/external-links/{siteExternalLinkId}'
const SITE_SPACE = '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}'

/** The requests that change and remove a part, by its kind. */
const REQUESTS: Record<
  Row['type'],
  {
    change: (site: Site, id: string, body: Changes) => Promise<unknown>
    remove: (site: Site, id: string) => Promise<unknown>
  }
> = {
  'site-section': {
    change: (site, siteSectionId, changes) =>
      body(api.PATCH(SECTION, { params: { path: { ...sitePath(site), siteSectionId } }, body: changes })),
    remove: (site, siteSectionId) =>
      body(api.DELETE(SECTION, { params: { path: { ...sitePath(site), siteSectionId } } })),
  },
  'site-section-group': {
    change: (site, siteSectionGroupId, changes) =>
      body(api.PATCH(GROUP, { params: { path: { ...sitePath(site), siteSectionGroupId } }, body: changes })),
    remove: (site, siteSectionGroupId) =>
      body(api.DELETE(GROUP, { params: { path: { ...sitePath(site), siteSectionGroupId } } })),
  },
  'site-external-link': {
    change: (site, siteExternalLinkId, changes) =>
      body(api.PATCH(LINK, { params: { path: { ...sitePath(site), siteExternalLinkId } }, body: changes })),
    remove: (site, siteExternalLinkId) =>
      body(api.DELETE(LINK, { params: { path: { ...sitePath(site), siteExternalLinkId } } })),
  },
  'site-space': {
    change: (site, siteSpaceId, changes) =>
      body(api.PATCH(SITE_SPACE, { params: { path: { ...sitePath(site), siteSpaceId } }, body: changes })),
    remove: (site, siteSpaceId) =>
      body(api.DELETE(SITE_SPACE, { params: { path: { ...sitePath(site), siteSpaceId } } })),
  },
}

async function change(site: Site, row: Row, changes: Changes): Promise<void> {
  await REQUESTS[row.type].change(site, row.id, changes)
  await Promise.all([reload(`sites/${site.id}/structure`), reloadSite(site)])
}

async function remove(site: Site, row: Row): Promise<void> {
  await REQUESTS[row.type].remove(site, row.id)
  setQuery({ part: null })
  await reload(`sites/${site.id}`)
}

/** Makes a part the default for visitors. */
async function makeDefault(site: Site, row: Row): Promise<void> {
  const params = { path: sitePath(site) }
  if (row.type === 'site-space' && row.section) {
    await body(
      api.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}', {
        params: { path: { ...params.path, siteSectionId: row.section.id } },
        body: { defaultSiteSpace: row.id },
      }),
    )
  } else {
    const changes: Partial<Schemas['UpdateSite']> =
      row.type === 'site-space' ? { defaultSiteSpace: row.id } : { defaultSiteSection: row.id }
    await body(api.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', { params, body: changes }))
  }
  await reload(`sites/${site.id}`)
}

export function PartSettings({ site, row }: { site: Site; row: Row }) {
  const w = adminWords().structure
  const { part } = row
  const [title, setTitle] = useState(part.title)
  const [path, setPath] = useState('path' in part ? part.path : '')
  const [target, setTarget] = useState('target' in part ? part.target : '')
  const [condition, setCondition] = useState('condition' in part ? (part.condition ?? '') : '')
  const [ask, question] = useQuestion()
  // The title of a variant is that of its space.
  const hasTitle = row.type !== 'site-space'
  const hasPath = row.type === 'site-section' || row.type === 'site-space'
  const form = useForm(async () => {
    await change(site, row, {
      ...(hasTitle ? { title } : {}),
      ...(hasPath ? { path, condition: condition === '' ? null : condition } : {}),
      ...(row.type === 'site-external-link' ? { target } : {}),
    })
    toast(w.partSaved)
  })
  const space =
    part.object === 'site-space' ? part.space : part.object === 'site-section' ? part.siteSpaces[0]?.space : null
  const address = site.urls.published?.replace(/^https?:\/\//, '') ?? site.title
  return (
    <form class="stack" onSubmit={form.submit}>
      <div class="row">
        <h2 class="h grow">{titleOf(row)}</h2>
        <button type="button" class="icb s" aria-label={w.closeSettings} onClick={() => setQuery({ part: null })}>
          <Icon name="x" />
        </button>
      </div>
      {hasTitle && (
        <TextField label={w.titleField} error={form.error('title')} value={title} onInput={setTitle} required />
      )}
      {hasPath && (
        <TextField
          label={w.path}
          help={fill(w.pathHelp, { address, path })}
          error={form.error('path')}
          value={path}
          onInput={setPath}
          mono
          required
        />
      )}
      {row.type === 'site-external-link' && (
        <TextField label={w.target} error={form.error('target')} value={target} onInput={setTarget} mono required />
      )}
      {hasPath && (
        <TextField
          label={w.condition}
          help={w.conditionHelp}
          error={form.error('condition')}
          value={condition}
          onInput={setCondition}
          mono
          placeholder="visitor.claims.beta"
        />
      )}
      {space && (
        <p class="sm">
          {w.space} <a href={`/s/${space.id}`}>{space.title}</a>
        </p>
      )}
      <FormError form={form} />
      <div class="row wrap">
        <Submit form={form} small>
          {w.save}
        </Submit>
        {!row.isDefault && (row.type === 'site-section' || row.type === 'site-space') && (
          <button type="button" class="btn small" onClick={() => attempt(() => makeDefault(site, row))}>
            <Icon name="star" />
            {w.makeStart}
          </button>
        )}
      </div>
      {'draft' in part && (
        <Switch checked={part.draft} onChange={(draft) => attempt(() => change(site, row, { draft }))}>
          {w.draftSwitch}
        </Switch>
      )}
      <button
        type="button"
        class="btn small danger"
        onClick={() =>
          ask({
            title: fill(w.removeTitle, { title: titleOf(row) }),
            text: row.type === 'site-section-group' ? w.removeGroup : w.removeText,
            button: w.remove,
            run: () => remove(site, row),
          })
        }
      >
        {w.remove}
      </button>
      <p class="help">{w.removeHelp}</p>
      {question}
    </form>
  )
}
