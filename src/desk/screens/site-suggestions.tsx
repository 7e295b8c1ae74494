/** The suggestions of guests that wait for a reviewer of a site. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { ListEnd, usePages } from '../admin/lists.js'
import { useQuestion } from '../admin/question.js'
import { reloadSite, type Site, SiteFrame, sitePath } from '../admin/site.js'
import { adminWords } from '../admin/words.js'
import { SuggestedText } from '../review/suggested.js'
import { open } from '../route.js'
import { Icon } from '../shell/icons.js'
import { Empty, Nothing, Show } from '../shell/notes.js'
import { Time } from '../shell/time.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'

type Suggestion = Schemas['SiteSuggestion']

/** The screen. */
export const SiteSuggestions = ({ site = '' }: { site?: string }) => (
  <SiteFrame id={site} part="suggestions">
    {(one) => (one.permissions.review ? <Queue key={one.id} site={one} /> : <Nothing />)}
  </SiteFrame>
)

function Queue({ site }: { site: Site }) {
  const w = adminWords().suggestions
  const [ask, question] = useQuestion()
  const path = sitePath(site)
  const list = usePages<Suggestion>(`sites/${site.id}/suggestions`, (query) =>
    body(api.GET('/v1/orgs/{organizationId}/sites/{siteId}/suggestions', { params: { path, query } })),
  )
  const reject = ({ id }: Suggestion) =>
    ask({
      title: w.rejectTitle,
      text: w.rejectText,
      button: w.reject,
      run: async () => {
        const params = { path: { ...path, suggestionId: id } }
        await body(api.DELETE('/v1/orgs/{organizationId}/sites/{siteId}/suggestions/{suggestionId}', { params }))
        await Promise.all([list.again(), reloadSite(site)])
      },
    })
  return (
    <div class="wide stack">
      <h1 class="title">{adminWords().site.parts.suggestions}</h1>
      <p class="ink2">{w.lead}</p>
      <Show data={list.data} retry={() => void list.again()}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="edit" title={w.noneTitle}>
              {w.none}
            </Empty>
          ) : (
            <ul class="plain stack">
              {items.map((one) => (
                <li key={one.id}>
                  <Waiting site={site} suggestion={one} onReject={() => reject(one)} />
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      <ListEnd of={list} />
      {question}
    </div>
  )
}

function Waiting({ site, suggestion, onReject }: { site: Site; suggestion: Suggestion; onReject: () => void }) {
  const w = adminWords().suggestions
  const [isBusy, setBusy] = useState(false)
  const { id, page, author, before, after, createdAt } = suggestion
  const accept = async () => {
    if (isBusy) return
    setBusy(true)
    const params = { path: { ...sitePath(site), suggestionId: id } }
    await attempt(async () => {
      const { changeRequest } = await body(
        api.POST('/v1/orgs/{organizationId}/sites/{siteId}/suggestions/{suggestionId}/accept', { params }),
      )
      toast(w.accepted)
      if (changeRequest) open(`/s/${changeRequest.space}/c/${changeRequest.number}`)
    })
    setBusy(false)
  }
  const address = site.urls.published
  return (
    <article class="panel">
      <div class="pb stack s">
        <h2 class="h">
          {address === undefined ? (
            page.title
          ) : (
            <a href={address + (page.path === '/' ? '' : page.path)}>{page.title}</a>
          )}
        </h2>
        <p class="sm muted">
          {fill(w.from, author)} · <Time iso={createdAt} />
        </p>
        <SuggestedText label={fill(w.change, { page: page.title })} before={before} after={after} />
        <div class="row wrap">
          <button type="button" class="btn primary" aria-disabled={isBusy || undefined} onClick={accept}>
            <Icon name="check" />
            {w.accept}
          </button>
          <button type="button" class="btn" onClick={onReject}>
            {w.reject}
          </button>
        </div>
      </div>
    </article>
  )
}
