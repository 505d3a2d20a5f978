package daybook

import "time"

// TopicID names a topic. It is made from the topic's first session, so that it
// stays the same as the topic grows.
type TopicID string

// TopicPrefix begins the id of a topic.
const TopicPrefix = "topic_"

// TopicFrom returns the id of the topic that began with a session.
func TopicFrom(session string) TopicID { return TopicID(hashID(TopicPrefix, session)) }

// Topic is a group of sessions that speak of like things. It is derived: the same
// ledger gives the same topics.
type Topic struct {
	ID       TopicID   `json:"id"`
	Label    string    `json:"label"` // its terms, for people
	Terms    []string  `json:"terms"` // what sets it apart from other topics, most telling first
	Sessions []string  `json:"sessions"`
	Notes    int       `json:"notes"`
	First    time.Time `json:"first"` // when its first and last notes were said
	Last     time.Time `json:"last"`
}

// Session is one conversation or document of a scope, in its place between others.
type Session struct {
	ID       string    `json:"id"`
	Topic    TopicID   `json:"topic"`
	Label    string    `json:"label"`
	Terms    []string  `json:"terms"` // what sets it apart from other sessions
	Speakers []string  `json:"speakers,omitempty"`
	Notes    int       `json:"notes"`
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
	Previous string    `json:"previous,omitempty"` // the sessions that began just before and after it
	Next     string    `json:"next,omitempty"`
}
