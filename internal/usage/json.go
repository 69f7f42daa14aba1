package usage

import (
	"math"
	"time"
)

type reportJSON struct {
	By       By        `json:"by"`
	Since    string    `json:"since,omitempty"`
	Until    string    `json:"until,omitempty"`
	Rows     []rowJSON `json:"rows"`
	Total    rowJSON   `json:"total"`
	Unpriced []string  `json:"unpricedModels"`
}

type rowJSON struct {
	Day      string     `json:"day,omitempty"`
	Session  string     `json:"session,omitempty"`
	Title    string     `json:"title,omitempty"`
	Project  string     `json:"project,omitempty"`
	Model    string     `json:"model,omitempty"`
	Tool     string     `json:"tool,omitempty"`
	First    string     `json:"firstUsed,omitempty"`
	Last     string     `json:"lastUsed,omitempty"`
	Sessions int        `json:"sessions"`
	Prompts  int        `json:"prompts"`
	Requests int        `json:"requests"`
	Tokens   tokensJSON `json:"tokens"`
	// Cost is null if a part of it is unknown, or if there were no requests. CostAtLeast is the part that
	// is known.
	Cost        *float64  `json:"cost"`
	CostAtLeast float64   `json:"costAtLeast"`
	ModelTime   int       `json:"modelMs"`
	ToolTime    int       `json:"toolMs"`
	Calls       callsJSON `json:"toolCalls"`
	Lines       linesJSON `json:"lines"`
}

// tokensJSON has the names of session files. Input includes cached tokens.
type tokensJSON struct {
	Input    int `json:"input"`
	Cached   int `json:"cached"`
	Output   int `json:"output"`
	Thoughts int `json:"thoughts"`
	Tool     int `json:"tool"`
	Total    int `json:"total"`
}

type callsJSON struct {
	Count   int `json:"count"`
	Success int `json:"success"`
	Fail    int `json:"fail"`
}

type linesJSON struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// JSON returns the report as a value for encoding/json.
func (r *Report) JSON() any {
	v := reportJSON{By: r.By, Since: stamp(r.Since), Until: stamp(r.Until), Rows: []rowJSON{}, Total: newRowJSON(&r.Total), Unpriced: append([]string{}, r.Unpriced...)}
	for i := range r.Rows {
		row := newRowJSON(&r.Rows[i])
		row.Project, row.Title = r.Rows[i].Project, r.Rows[i].Title
		name := map[By]*string{Day: &row.Day, Session: &row.Session, Project: &row.Project, Model: &row.Model, Tool: &row.Tool}
		*name[r.By] = r.Rows[i].Name
		v.Rows = append(v.Rows, row)
	}
	return v
}

func newRowJSON(r *Row) rowJSON {
	t := r.Tokens
	v := rowJSON{
		First: stamp(r.First), Last: stamp(r.Last), Sessions: r.Sessions, Prompts: r.Prompts, Requests: r.Requests,
		Tokens:      tokensJSON{t.Prompt, t.CachedContent, t.Candidates, t.Thoughts, t.ToolUsePrompt, t.Total},
		CostAtLeast: math.Round(r.Cost.USD*1e6) / 1e6, ModelTime: r.ModelTime, ToolTime: r.ToolTime,
		Calls: callsJSON{r.Calls, r.Calls - r.Failed, r.Failed}, Lines: linesJSON{r.Added, r.Removed},
	}
	if r.Cost.Unknown == 0 && r.Requests > 0 {
		v.Cost = &v.CostAtLeast
	}
	return v
}

// stamp returns a time in its time zone, "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}
