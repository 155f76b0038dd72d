// The calls with the client of OpenAPI Generator's go; prints as JSON what they saw.
package main

import (
	"changewire"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"time"
)

var url, allKey, diffsKey = os.Args[1], os.Args[2], os.Args[3]
var two = []string{"acme.compute", "acme.storage"}

func client() *changewire.APIClient {
	configuration := changewire.NewConfiguration()
	configuration.Servers = changewire.ServerConfigurations{{URL: url + "/api/v1"}}
	return changewire.NewAPIClient(configuration)
}

func with(key string) context.Context {
	return context.WithValue(context.Background(), changewire.ContextAccessToken, key)
}

// What was answered; anything else ends the program.
func must[T any](answer *T, _ *http.Response, err error) *T {
	if err != nil {
		panic(err)
	}
	return answer
}

// The status and the code of a no.
func refusal[T any](_ *T, response *http.Response, err error) []any {
	var refused *changewire.GenericOpenAPIError
	if !errors.As(err, &refused) {
		panic(err)
	}
	return []any{response.StatusCode, refused.Model().(changewire.Error).Code}
}

func follow(entries *changewire.AdditionsAPIService, caller context.Context) int {
	request, seen := entries.ListChanges(caller).Sources(two).Limit(50), 0
	for {
		page := must(request.Execute())
		if len(page.Items) == 0 {
			return seen
		}
		seen += len(page.Items)
		request = request.After(page.Next)
	}
}

func main() {
	api, anybody := client(), context.Background()
	all, reader, wrong := with(allKey), with(diffsKey), with("cw_wrong")
	since := time.Now().Add(-16 * time.Hour)
	sample := must(api.SourcesAPI.ListSources(anybody).Execute()).SampleSourcePage
	catalog := must(api.SourcesAPI.ListSources(all).Vendor("acme").Limit(2).Execute()).SourcePage
	entries := must(api.EntriesAPI.ListEntries(all).Sources(two).Limit(3).Execute())
	titles := []any{entries.Total}
	for _, entry := range entries.Items {
		titles = append(titles, entry.Title)
	}
	recent := must(api.EntriesAPI.ListEntries(all).Sources(two).Since(since).Execute())
	allRecent := true
	for _, entry := range recent.Items {
		allRecent = allRecent && entry.PublishedAt.After(since)
	}
	important := must(api.FeedsAPI.ListImportant(anybody).Execute())
	diffs := must(api.DiffsAPI.GetDiffs(reader).Source(two[0]).Execute())
	fields := diffs.Items[0].Changes[0].Fields
	seen := map[string]any{
		"sample":    []any{sample.Sample, sample.Agent[:9], len(sample.Items)},
		"catalog":   []any{catalog.Total, catalog.Items[0].ChangelogUrl},
		"entries":   titles,
		"since":     []any{recent.Total, allRecent},
		"latest":    len(must(api.FeedsAPI.ListLatest(anybody).Limit(100).Execute()).Items),
		"important": important.Items[0].Importance.Categories,
		"diffs":     []any{diffs.Total, fields[0].After.Get().String, fields[1].Before.Get()},
		"changes":   follow(api.AdditionsAPI, all),
		"refused": []any{
			refusal(api.FeedsAPI.ListLatest(anybody).Limit(101).Execute()),
			refusal(api.SourcesAPI.ListSources(wrong).Execute()),
			refusal(api.DiffsAPI.GetDiffs(all).Source(two[0]).Execute()),
			refusal(api.EntriesAPI.ListEntries(all).Sources([]string{"no.such"}).Execute()),
		},
	}
	if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
		panic(err)
	}
}
